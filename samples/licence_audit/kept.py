"""An audit that is kept in a file, step by step: what was stopped goes on where it was."""

from collections.abc import Callable
from contextlib import closing
from typing import Final, Protocol

import attrs

from graph_core import BaseCheckpointSaver, NodeOutput, RunnableConfig
from samples.licence_audit.audit import Audit, report_in
from samples.licence_audit.checks import Checks
from samples.licence_audit.finding import Report
from samples.licence_audit.installed import Installed
from samples.licence_audit.state import Environment


class Begin(Protocol):
    """Either way of an audit."""

    def __call__(
        self, distributions: tuple[Installed, ...], checks: Checks | None = None, *, saver: BaseCheckpointSaver
    ) -> Audit:
        """Return the audit."""
        ...


@attrs.frozen(kw_only=True)
class KeptAudit:
    """What is left to be done in a thread.

    `notice` says it in words. `inputs` are None for what goes on, and `finished` is the report that is there already.
    """

    notice: str
    audit: Audit
    config: RunnableConfig[Checks]
    inputs: Environment | None = None
    finished: Report | None = None

    def report(self, watch: Callable[[NodeOutput], object]) -> Report:
        """Do what is left, and return what was found in all; `watch` is given each step when it is done and kept."""
        if self.finished is not None:
            return self.finished
        last: list[NodeOutput] = []
        # Closed at once when it is interrupted, so that the thread is given back before the program ends.
        with closing(self.audit.graph.stream(self.inputs, self.config)) as outputs:
            for output in outputs:
                watch(output)
                last = [output]
        return report_in(last)


_CHANGED: Final = "; the environment has changed since, which the next audit will see"


def kept(
    begin: Begin,
    distributions: tuple[Installed, ...],
    checks: Checks,
    saver: BaseCheckpointSaver,
    *,
    name: str,
    take_over: bool = False,
) -> KeptAudit:
    """Look at the thread of that name, and return what is left to be done; each way has threads of its own.

    A thread that was stopped goes on with the distributions that it began with. One that is finished is shown again,
    or begins anew if the environment has changed.

    Raises:
        ThreadBusyError: another run holds a thread that would begin anew.
    """
    audit = begin(distributions, checks, saver=saver)
    thread_id = f"{name} ({audit.way})"
    thread = audit.config.with_thread_id(thread_id)
    left = audit.graph.state_of(thread).value_or(None)
    if left is None:
        return KeptAudit(notice=f"Thread {name!r} begins.", audit=audit, config=thread, inputs=audit.inputs)
    known: tuple[Installed, ...] = left.state["distributions"]
    is_old = known != distributions
    if left.status != "done":
        # The limit of the loop's steps depends on how many distributions it began with.
        audit = begin(known, checks, saver=saver)
        notice = f"Thread {name!r} goes on after {len(left.state['findings'])} of {len(known)} distributions"
        config = audit.config.with_thread_id(thread_id).with_resume(take_over=take_over)
        return KeptAudit(notice=f"{notice}{_CHANGED if is_old else ''}.", audit=audit, config=config)
    if not is_old:
        notice = f"Thread {name!r} is finished, and nothing has changed since."
        return KeptAudit(notice=notice, audit=audit, config=thread, finished=left.state["report"])
    saver.delete(thread_id)
    notice = f"Thread {name!r} is finished, but the environment has changed: it begins anew."
    return KeptAudit(notice=notice, audit=audit, config=thread, inputs=audit.inputs)
