"""The errors: codes, texts, and what is left of them in another process."""

import copy
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_core import (
    Command,
    GraphProblem,
    GraphRunnerException,
    GraphStateException,
    InvalidRecordError,
    StateMergeError,
    UnresolvedHintWarning,
)
from graph_core_tests.travel import pickled, travelled

PROBLEMS = [
    GraphProblem("missing_entry_point", "missing Entry Point", "edge START → ?"),
    GraphProblem("missing_edge", "edge with sourceId: 'a' doesn't exist!", "node a"),
]
TEXTS = st.text(max_size=8)


class Foreign(Exception):
    """An error of a user's with an argument that its pickle forgets."""

    def __init__(self, text: str, number: int) -> None:
        super().__init__(text)
        self.number = number


class Broken(Exception):
    """An error of a user's that can not be pickled at all."""

    def __reduce__(self) -> NoReturn:
        """Refuse."""
        raise RuntimeError("never")


def failed(cause: BaseException | None) -> GraphRunnerException:
    """An error with a cause."""
    error = GraphRunnerException("node 'a' failed", "execution_error", "a", "t1")
    error.__cause__ = cause
    return error


class TestNames:
    def test_bases(self) -> None:
        """E1: each error stands under the builtin that a caller would catch."""
        assert issubclass(GraphStateException, ValueError)
        assert issubclass(GraphRunnerException, RuntimeError)
        assert issubclass(StateMergeError, GraphRunnerException)
        assert issubclass(InvalidRecordError, TypeError)
        assert issubclass(InvalidRecordError, ValueError)
        assert issubclass(UnresolvedHintWarning, UserWarning)


class TestProblem:
    def test_one_line(self) -> None:
        """C1: a problem shows code, place and message."""
        assert str(PROBLEMS[1]) == "[missing_edge] node a: edge with sourceId: 'a' doesn't exist!"

    @given(TEXTS, TEXTS, TEXTS)
    def test_travel(self, code: str, message: str, place: str) -> None:
        """E1: a problem survives a pickle and copies."""
        problem = GraphProblem(code, message, place)
        assert (problem, problem, problem) == travelled(problem)


class TestGraphStateException:
    def test_all_problems(self) -> None:
        """C1: everything wrong is in `errors` and in the text, one a line."""
        error = GraphStateException(PROBLEMS)
        assert error.errors == tuple(PROBLEMS)
        assert str(error).splitlines() == [str(problem) for problem in PROBLEMS]

    def test_code(self) -> None:
        """E1: its code is that of the first problem."""
        assert GraphStateException(PROBLEMS).code == "missing_entry_point"

    def test_travel(self) -> None:
        """E1: it survives a pickle with all its problems."""
        for other in travelled(GraphStateException(PROBLEMS)):
            assert (type(other), other.errors, other.code) == (
                GraphStateException,
                tuple(PROBLEMS),
                "missing_entry_point",
            )


class TestInvalidRecordError:
    def test_code(self) -> None:
        """E1: it carries a code."""
        wrong: Any = None
        with pytest.raises(InvalidRecordError) as caught:
            Command(wrong)
        assert caught.value.code == "invalid_record"

    def test_travel(self) -> None:
        """E1: it survives a pickle."""
        for other in travelled(InvalidRecordError("no")):
            assert (type(other), str(other), other.code) == (InvalidRecordError, "no", "invalid_record")


class TestGraphRunnerException:
    def test_fields(self) -> None:
        """E1: it carries code, node id and thread id, and shows its message."""
        error = failed(None)
        assert (str(error), error.code, error.node_id, error.thread_id) == (
            "node 'a' failed",
            "execution_error",
            "a",
            "t1",
        )

    def test_defaults(self) -> None:
        """E1: a message is enough."""
        error = GraphRunnerException("no")
        assert (error.code, error.node_id, error.thread_id) == ("execution_error", None, None)

    @given(TEXTS, TEXTS, st.none() | TEXTS, st.none() | TEXTS)
    def test_travel(self, message: str, code: str, node: str | None, thread: str | None) -> None:
        """E1: it survives a pickle and copies with all it carries."""
        error = GraphRunnerException(message, code, node, thread)
        for other in travelled(error):
            assert (str(other), other.code, other.node_id, other.thread_id) == (message, code, node, thread)
            assert other.__cause__ is None

    def test_notes(self) -> None:
        """E1: notes travel, too."""
        error = failed(None)
        error.add_note("seen in step 3")
        assert pickled(error).__notes__ == ["seen in step 3"]


class TestStateMergeError:
    def test_fields(self) -> None:
        """S8: it names its key."""
        error = StateMergeError("key 'k': no", "misplaced_marker", "k")
        assert (str(error), error.code, error.key, error.node_id) == ("key 'k': no", "misplaced_marker", "k", None)

    def test_travel(self) -> None:
        """E1: it survives a pickle with its key and code."""
        for other in travelled(StateMergeError("key 'k': no", "misplaced_marker", "k")):
            assert (type(other), other.code, other.key) == (StateMergeError, "misplaced_marker", "k")


class TestCause:
    def test_it_travels(self) -> None:
        """E1: the original exception is still the cause in another process."""
        cause = pickled(failed(KeyError("x"))).__cause__
        assert (type(cause), cause.args if cause else None) == (KeyError, ("x",))

    def test_it_travels_with_a_copy(self) -> None:
        """E1: copies keep it."""
        error = failed(KeyError("x"))
        assert isinstance(copy.copy(error).__cause__, KeyError)
        assert isinstance(copy.deepcopy(error).__cause__, KeyError)

    @pytest.mark.parametrize("cause", [Foreign("lost", 5), Broken("stuck")], ids=["forgetful", "broken"])
    def test_one_that_can_not_travel(self, cause: Exception) -> None:
        """E1: of a cause that can not be pickled its text still travels."""
        found = pickled(failed(cause)).__cause__
        assert (type(found), str(found)) == (RuntimeError, repr(cause))

    def test_one_that_holds_what_can_not_travel(self) -> None:
        """E1: a cause whose argument can not be pickled is shown as well."""
        assert str(pickled(failed(ValueError(lambda: None))).__cause__).startswith("ValueError(<function")

    def test_a_group(self) -> None:
        """P8: the errors of several branches travel together, each with its own cause."""
        group = ExceptionGroup("branches failed", [failed(KeyError("x")), failed(Broken("stuck"))])
        found: Any = pickled(failed(group)).__cause__
        assert type(found) is ExceptionGroup
        assert [type(error.__cause__) for error in found.exceptions] == [KeyError, RuntimeError]

    def test_a_long_chain(self) -> None:
        """E1: of a chain of causes each is pickled once, so that deep nesting costs no time."""
        error = failed(KeyError("x"))
        for _ in range(40):
            error = failed(error)
        chain: list[BaseException] = [pickled(error)]
        while chain[-1].__cause__ is not None:
            chain.append(chain[-1].__cause__)
        assert (len(chain), type(chain[-1])) == (42, KeyError)


class TestWarning:
    def test_travel(self) -> None:
        """E1: the warning survives a pickle."""
        assert str(pickled(UnresolvedHintWarning("node 'a': no"))) == "node 'a': no"
