"""What is particular to a database: files, versions, failures, growth."""

import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.dialects import registry

from graph_core.checkpoint import (
    Append,
    CheckpointSaverError,
    DuplicateCheckpointError,
    LostThreadError,
    Put,
    Retention,
)
from graph_core.checkpoint.conformance import Clock, Story, caught
from graph_core.checkpoint.savers import DatabaseSaver
from graph_core.checkpoint.savers.sql.schema import VERSION
from graph_core.exception import InvalidRecordError
from graph_core.serializer import SerializationError, Serializer

VERSION_1 = """
CREATE TABLE graph_schema (version INTEGER NOT NULL, PRIMARY KEY (version));
INSERT INTO graph_schema VALUES (1);
CREATE TABLE graph_thread (pk INTEGER NOT NULL, hash VARCHAR(64) NOT NULL, id TEXT NOT NULL,
    owner VARCHAR(255) NOT NULL, expires BIGINT NOT NULL, status VARCHAR(16) NOT NULL, last INTEGER NOT NULL,
    head INTEGER NOT NULL, data BLOB, metadata BLOB, PRIMARY KEY (pk), UNIQUE (hash));
CREATE TABLE graph_checkpoint (thread INTEGER NOT NULL, seq INTEGER NOT NULL, id VARCHAR(255) NOT NULL,
    parent VARCHAR(255), base INTEGER NOT NULL, path TEXT NOT NULL, node TEXT NOT NULL, next TEXT NOT NULL,
    step INTEGER NOT NULL, run VARCHAR(255) NOT NULL, created BIGINT NOT NULL, data BLOB, metadata BLOB,
    changes BLOB NOT NULL, PRIMARY KEY (thread, seq), CONSTRAINT graph_checkpoint_id UNIQUE (thread, id)) WITHOUT ROWID;
CREATE TABLE graph_record (thread INTEGER NOT NULL, entry INTEGER NOT NULL, seq INTEGER NOT NULL, place TEXT NOT NULL,
    node TEXT NOT NULL, step INTEGER NOT NULL, next BLOB, updates BLOB NOT NULL, PRIMARY KEY (thread, entry, seq))
    WITHOUT ROWID;
INSERT INTO graph_thread VALUES (1, 'e3b98a4da31a127d4bde6e43033f66ba274cab0eb7eb1c70ec41402bf6273dd8', 't', '', 0,
    'failed', 2, 2, NULL, NULL);
INSERT INTO graph_checkpoint VALUES (1, 1, 'c1', NULL, 0, '', 'a', '["b"]', 1, 'r', 1767225600000000, NULL, NULL,
    CAST(X'500100000003000000' || CAST('m[1]' AS BLOB) AS BLOB));
INSERT INTO graph_checkpoint VALUES (1, 2, 'c2', 'c1', 1, '', 'b', '[]', 2, 'r', 1767225600000001, NULL, NULL,
    CAST(X'410100000003000000' || CAST('m[2]' AS BLOB) AS BLOB));
"""


def written(file: Path, script: str) -> None:
    """Write a file by hand."""
    connection = sqlite3.connect(file)
    connection.executescript(script)
    connection.close()


def asked(file: Path, query: str) -> list[Any]:
    """Read a file by hand."""
    connection = sqlite3.connect(file)
    found = connection.execute(query).fetchall()
    connection.close()
    return found


class TestOpening:
    def test_a_path_or_a_url(self, tmp_path: Path) -> None:
        """Text, a path, or a URL of SQLAlchemy: one file."""
        file = tmp_path / "a.db"
        for url in (file, str(file), f"sqlite:///{file}"):
            with DatabaseSaver(url) as saver:
                Story(saver, str(type(url)), "run").take(take_over=True)
        with DatabaseSaver(file) as saver:
            assert len(saver.threads()) == 2

    @pytest.mark.parametrize("url", [":memory:", "sqlite://", "sqlite:///:memory:"])
    def test_in_memory(self, url: str) -> None:
        """For this process alone; each has its own threads."""
        with DatabaseSaver(url) as saver, DatabaseSaver(url) as other:
            assert not saver.is_shared
            Story(saver).begun()
            assert [*other.threads()] == []

    def test_tables_have_a_prefix(self, tmp_path: Path) -> None:
        """Two savers may live in one file."""
        file = tmp_path / "a.db"
        with DatabaseSaver(file) as saver, DatabaseSaver(file, table_prefix="other_") as other:
            Story(saver).begun()
            assert [*other.threads()] == []
        names = {name for (name,) in asked(file, "SELECT name FROM sqlite_master WHERE type = 'table'")}
        tables = ("schema", "thread", "checkpoint", "record", "fold")
        assert names == {f"{prefix}{table}" for prefix in ("graph_", "other_") for table in tables}

    @pytest.mark.parametrize("prefix", ["", "a b", "1a", "a;", "ä", "x" * 50])
    def test_a_prefix_is_a_name(self, prefix: str) -> None:
        """Nothing that would have to be quoted."""
        with pytest.raises(InvalidRecordError, match="table_prefix"):
            DatabaseSaver(":memory:", table_prefix=prefix)

    def test_a_commit_is_on_the_disk(self, tmp_path: Path) -> None:
        """WAL, with synchronous=FULL."""
        with DatabaseSaver(tmp_path / "a.db") as saver:
            connection = saver.core.database.connection(writes=True)
            cursor = connection.cursor()
            found = [cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
            assert found == ["wal", 2]

    def test_without_sqlalchemy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The error names the extra."""
        for name in [name for name in sys.modules if name.startswith("graph_core.checkpoint.savers.sql.")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "sqlalchemy", None)
        with pytest.raises(CheckpointSaverError, match=r"pip install 'graph-core\[sql\]'"):
            DatabaseSaver(":memory:")


class TestVersions:
    def test_a_file_of_version_1_is_brought_up_to_date(self, tmp_path: Path) -> None:
        """Its threads are there, and go on."""
        file = tmp_path / "a.db"
        written(file, VERSION_1)
        with DatabaseSaver(file) as saver:
            story = Story(saver).begun()
            assert ([*saver.threads()], story.ids(), story.state()) == (["t"], ["c2", "c1"], {"m": [1, 2]})
            story.put({"m": Append([3])}, parent_id="c2")
            assert story.state() == {"m": [1, 2, 3]}
        assert asked(file, "SELECT version FROM graph_schema") == [(VERSION,)]
        assert asked(file, "SELECT count(*) FROM graph_fold") == [(0,)]

    def test_the_tables_are_those_that_the_way_up_makes(self, tmp_path: Path) -> None:
        """A new file has the same tables as one that came from version 1."""
        written(tmp_path / "old.db", VERSION_1)
        shapes: list[Any] = []
        for name in ("old.db", "new.db"):
            DatabaseSaver(tmp_path / name).close()
            tables = ("schema", "thread", "checkpoint", "record", "fold")
            shapes.append([asked(tmp_path / name, f"PRAGMA table_info(graph_{table})") for table in tables])
        assert shapes[0] == shapes[1]

    def test_a_newer_file_is_refused(self, tmp_path: Path) -> None:
        """The error names the file and both versions, and nothing is changed."""
        file = tmp_path / "a.db"
        DatabaseSaver(file).close()
        written(file, "UPDATE graph_schema SET version = 99")
        with pytest.raises(CheckpointSaverError, match=r"version 99.*versions up to") as caught_:
            DatabaseSaver(file)
        assert str(file) in str(caught_.value)


class TestFailures:
    def test_no_database(self, tmp_path: Path) -> None:
        """A file of something else."""
        file = tmp_path / "a.db"
        file.write_text("This is a letter, and no database. " * 50, encoding="utf-8")
        error = caught(CheckpointSaverError, DatabaseSaver, file)
        assert (error.code, str(file) in str(error), "damaged" in str(error)) == ("checkpoint_saver", True, True)

    def test_a_damaged_file(self, tmp_path: Path) -> None:
        """It was fine when it was opened."""
        file = tmp_path / "a.db"
        with DatabaseSaver(file) as saver:
            story = Story(saver).begun()
            for number in range(200):
                story.put({"x": Put("y" * 500 + str(number))})
        data = bytearray(file.read_bytes())
        data[4096:] = b"\xff" * (len(data) - 4096)
        file.write_bytes(data)
        with pytest.raises(CheckpointSaverError, match=r"a\.db"), DatabaseSaver(file) as saver:
            saver.list("t")

    @pytest.mark.parametrize("wrong", [5, None, "", b"a.db"], ids=repr)
    def test_what_is_no_place(self, wrong: Any) -> None:
        """A place is a text or a path."""
        with pytest.raises(InvalidRecordError, match="url must be a database URL, the path of a SQLite file, or"):
            DatabaseSaver(wrong)

    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE graph_checkpoint SET changes = x'ff'",
            "UPDATE graph_checkpoint SET next = 'not json'",
            "UPDATE graph_checkpoint SET next = '3'",
            "UPDATE graph_checkpoint SET base = 999",
            "UPDATE graph_checkpoint SET base = seq",
            "DELETE FROM graph_checkpoint WHERE seq = 1",
            "UPDATE graph_checkpoint SET created = 9223372036854775807",
            "UPDATE graph_checkpoint SET data = x'5b315d'",
        ],
    )
    def test_a_damaged_row(self, tmp_path: Path, statement: str) -> None:
        """It is told, with its place."""
        file = tmp_path / "a.db"
        with DatabaseSaver(file) as saver:
            story = Story(saver).begun()
            for number in range(2):
                story.put({"x": Put(number)})
        written(file, statement)
        with DatabaseSaver(file) as saver, pytest.raises(CheckpointSaverError) as raised:
            saver.get("t")
        assert "damaged" in str(raised.value) or "$" in str(raised.value)

    def test_a_file_of_no_version(self, tmp_path: Path) -> None:
        """The error names the file and the version."""
        file = tmp_path / "a.db"
        DatabaseSaver(file).close()
        written(file, "UPDATE graph_schema SET version = 0")
        with pytest.raises(CheckpointSaverError, match=r"a\.db.* in version 0, this package knows"):
            DatabaseSaver(file)

    def test_a_url_with_a_bad_port(self) -> None:
        """It is told to be none."""
        with pytest.raises(CheckpointSaverError, match="this is no database URL"):
            DatabaseSaver("postgresql://u:p@h:port/x")

    @pytest.mark.parametrize(
        ("option", "text"),
        [
            ({"busy_timeout": "x"}, "busy_timeout must be a number of seconds"),
            ({"table_prefix": 3}, "table_prefix must be a short name"),
            ({"serializer": 3}, "serializer must have dumps and loads"),
            ({"retention": 3}, "retention must be a Retention"),
            ({"clock": "x"}, "clock must be a callable"),
        ],
        ids=str,
    )
    def test_bad_options(self, option: dict[str, Any], text: str) -> None:
        """Each is named."""
        with pytest.raises(InvalidRecordError, match=text):
            DatabaseSaver(":memory:", **option)

    def test_no_folder(self, tmp_path: Path) -> None:
        """It is named, and not made."""
        with pytest.raises(CheckpointSaverError, match=r"nowhere/a\.db.*folder must exist"):
            DatabaseSaver(tmp_path / "nowhere" / "a.db")

    def test_a_file_that_can_only_be_read(self, tmp_path: Path) -> None:
        """It is read, and a run on it is refused."""
        file = tmp_path / "a.db"
        with DatabaseSaver(file) as saver:
            Story(saver).begun().set(x=1)
            with DatabaseSaver(f"sqlite:///file:{file}?mode=ro&uri=true") as reader:
                assert Story(reader).state() == {"x": 1}
                error = caught(CheckpointSaverError, reader.take, "u", "run")
        assert (str(file) in str(error), "right to write" in str(error)) == (True, True)

    def test_a_locked_file(self, tmp_path: Path) -> None:
        """After busy_timeout; once the lock is gone the saver goes on."""
        file = tmp_path / "a.db"
        with DatabaseSaver(file, busy_timeout=0.01) as saver:
            story = Story(saver).begun()
            other = sqlite3.connect(file, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            error = caught(CheckpointSaverError, story.put)
            assert (str(file) in str(error), "locked" in str(error), "busy_timeout" in str(error)) == (True, True, True)
            other.execute("COMMIT")
            other.close()
            story.put()
            assert len(story.ids()) == 1

    def test_a_statement_that_fails(self, tmp_path: Path) -> None:
        """Nothing of its transaction stays; the error names the file."""
        file = tmp_path / "a.db"
        with DatabaseSaver(file) as saver:
            story = Story(saver).begun()
            written(file, "DROP TABLE graph_record")
            entry = story.put()
            assert "a.db" in str(caught(CheckpointSaverError, story.record, entry))
            assert "a.db" in str(caught(CheckpointSaverError, story.read))
            story.put()

    def test_a_commit_that_fails(self, tmp_path: Path) -> None:
        """Nothing was saved, and the saver goes on."""
        file = tmp_path / "a.db"
        written(file, "CREATE TABLE p (x INTEGER PRIMARY KEY)")
        with DatabaseSaver(file) as saver:
            story = Story(saver).begun()
            script = """
            CREATE TABLE c (x INTEGER REFERENCES p (x) DEFERRABLE INITIALLY DEFERRED);
            CREATE TRIGGER g AFTER INSERT ON graph_checkpoint BEGIN INSERT INTO c VALUES (7); END
            """
            written(file, script)
            assert "a.db" in str(caught(CheckpointSaverError, story.put))
            written(file, "DROP TRIGGER g")
            assert story.ids() == []
            story.put()
            assert len(story.ids()) == 1

    def test_no_url(self) -> None:
        """Neither a URL nor a driver that is there."""
        for url in ("://", "nonsense://host/db"):
            caught(CheckpointSaverError, DatabaseSaver, url)

    def test_no_driver(self) -> None:
        """The error names the server, never the password."""
        error = caught(CheckpointSaverError, DatabaseSaver, "mssql+pymssql://ann:secret@host/db")
        assert ("secret" in str(error), "host" in str(error)) == (False, True)

    def test_a_reader_that_can_not_connect(self, tmp_path: Path) -> None:
        """The error names the file."""
        folder = tmp_path / "folder"
        folder.mkdir()
        with DatabaseSaver(folder / "a.db") as saver, saver.core.database.reading():  # has the only open connection
            shutil.rmtree(folder)
            assert "a.db" in str(caught(CheckpointSaverError, saver.get, "t"))

    def test_a_closed_saver(self, tmp_path: Path) -> None:
        """Says so."""
        saver = DatabaseSaver(tmp_path / "a.db")
        saver.close()
        assert "is closed" in str(caught(CheckpointSaverError, saver.get, "t"))


class TestSerializers:
    def test_another_serializer_on_the_same_threads(self, tmp_path: Path) -> None:
        """`with_serializer` shares everything else."""
        with DatabaseSaver(tmp_path / "a.db") as saver:
            story = Story(saver).begun()
            caught(SerializationError, story.set, clock=Clock)
            other = saver.with_serializer(Loud())
            Story(other).put({"x": Put("a")})
            assert (story.state(), Story(other).state(), other.serializer) == ({"x": "A"}, {"x": "A"}, other.serializer)
            assert isinstance(saver.serializer, Serializer)

    def test_a_serializer_of_the_users(self) -> None:
        """Any object with dumps and loads."""
        with DatabaseSaver(":memory:", serializer=Loud()) as saver:
            story = Story(saver).begun()
            story.set(x="a")
            assert story.state() == {"x": "A"}


class Loud:
    """A serializer that can be told from others."""

    def dumps(self, value: object, where: str = "$", /) -> bytes:
        """Write."""
        return Serializer().dumps(value.upper() if isinstance(value, str) else value, where)

    def loads(self, data: bytes, where: str = "$", /) -> Any:
        """Read."""
        return Serializer().loads(data, where)


class TestGrowth:
    def test_a_step_costs_what_it_changes(self, tmp_path: Path) -> None:
        """K9: untouched keys are not written again, of a list only the tail; less than twice the floor's bytes."""
        sizes: dict[str, int] = {}
        text = "message number {} with a little more text so that a message is about one hundred bytes of payload"
        for name, wide in (("narrow", 0), ("wide", 200)):
            file = tmp_path / f"{name}.db"
            with DatabaseSaver(file) as saver:
                story = Story(saver, run_id="r" * 32).begun()
                story.put({f"k{number}": Put("x" * 100) for number in range(wide)})
                for number in range(1000):
                    story.put({"m": Append([{"role": "assistant", "content": text.format(number)}])})
            sizes[name] = file.stat().st_size
        floor = 230_000  # a row of thread, step and the update as JSON for each
        assert sizes["narrow"] <= 2 * floor
        assert sizes["wide"] - sizes["narrow"] < 200 * 200

    def test_a_saver_remembers_only_threads_that_are_held(self) -> None:
        """Memory stays flat however many threads there were."""
        with DatabaseSaver(":memory:") as saver:
            for number in range(300):
                story = Story(saver, f"t{number}").begun()
                for place in range(3):
                    story.put(path=(f"sub{place}",))
                story.end()
            assert saver.core.held == {}

    def test_many_paths_are_not_remembered(self) -> None:
        """Nor those of thousands of children in one run."""
        with DatabaseSaver(":memory:") as saver:
            story = Story(saver).begun()
            for number in range(1100):
                story.put(path=(f"sub{number}",))
            story.put(path=("sub0",))
            assert len(saver.core.held["t"].heads) < 200
            assert len(story.ids(path=("sub0",))) == 2

    def test_a_long_way_is_folded_once(self, tmp_path: Path) -> None:
        """The next run of the thread reads the fold; deleting it changes nothing."""
        file = tmp_path / "a.db"
        with DatabaseSaver(file) as saver:
            story = Story(saver).begun()
            ids = [story.set(n=number, **{f"k{number % 3}": number}) for number in range(600)]
            expected = story.state()
            assert asked(file, "SELECT seq FROM graph_fold") == [(600,)]
            ids.append(story.set(n=600))
            assert (story.state(), story.state(ids[-2])) == ({**expected, "n": 600}, expected)
            for _ in range(2):
                assert [found.state["n"] for found in saver.list("t", limit=3)] == [600, 599, 598]
                written(file, "DELETE FROM graph_fold")
            story.end()
            with DatabaseSaver(file) as reader:
                assert Story(reader).state()["n"] == 600
            assert asked(file, "SELECT seq FROM graph_fold") == []

    def test_a_fold_goes_with_its_checkpoint(self, tmp_path: Path) -> None:
        """And is no part of a pruned history."""
        file = tmp_path / "a.db"
        with DatabaseSaver(file) as saver:
            story = Story(saver).begun()
            for number in range(300):
                story.set(n=number)
            story.read()
            story.set(n=300)
            saver.prune("t", Retention(max_checkpoints=1))
            assert (asked(file, "SELECT seq FROM graph_fold"), story.state()) == ([], {"n": 300})


class TestTwoSaversOfOneRun:
    def test_they_may_write_by_turns(self, tmp_path: Path) -> None:
        """What one knows of the thread is old when the other has written; it looks again."""
        with DatabaseSaver(tmp_path / "a.db") as one, DatabaseSaver(tmp_path / "a.db") as two:
            left, right = Story(one).begun(), Story(two)
            for number in range(3):
                for story, other in ((left, right), (right, left)):
                    story.put({"m": Append([number])})
                    story.record(story.heads[()])
                    other.heads.update(story.heads)
            assert left.state() == {"m": [0, 0, 1, 1, 2, 2]}
            left.end()
            caught(LostThreadError, right.put)

    def test_what_is_known_of_a_former_run_is_not_used(self, tmp_path: Path) -> None:
        """Two runs of one process, one after the other."""
        with DatabaseSaver(tmp_path / "a.db") as saver:
            Story(saver).begun().put()
            second = Story(saver, run_id="second").begun(take_over=True)
            second.put(fork=True, parent_id=None)
            caught(LostThreadError, Story(saver).put, fork=True)
            second.put()


class TestAnotherDialect:
    """A database that is no SQLite to the saver: its transactions begin by themselves, its writers use the pool."""

    def test_a_run(self, tmp_path: Path) -> None:
        """From take to give_back, with what a database may refuse."""
        registry.register("plain", "graph_core_tests.checkpoint.plain_dialect", "Plain")
        with DatabaseSaver(f"plain:///{tmp_path}/a.db") as saver:
            assert (saver.is_shared, "plain" in saver.core.database.place) == (True, True)
            story = Story(saver).begun()
            first = story.put({"m": Append([1])})
            story.record(first)
            caught(DuplicateCheckpointError, story.put, id=first)
            story.put({"m": Append([2])})
            assert (story.state(), len(story.read(first).records)) == ({"m": [1, 2]}, 1)
            written(tmp_path / "a.db", "DROP TABLE graph_record")
            caught(CheckpointSaverError, story.read)
            story.end()
            assert [*saver.threads()] == ["t"]
