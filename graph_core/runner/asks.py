"""What the engine asks of a driver.

A run is a generator that does nothing by itself. It yields one of

- a tuple `(call, state, config)`: run this action or route, and send what it returns, or throw what it raises;
- a `NodeOutput`: hand it to whoever reads the run;
- a `Wait`: start these branches' calls, wait until at least one call is done, and send the list of all that are
  (empty if nothing runs);
- a `Cancel`: cancel the calls of some branches, and send the list of those that were done before;
- a `Save`: call a verb of the saver, and send what it returns, or throw what it raises.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

import attrs

from graph_core.action import Command, MultiCommand, Send
from graph_core.exception import GraphInterrupt
from graph_core.runner.branch import Branch
from graph_core.state import OverAllState

if TYPE_CHECKING:
    from graph_core.compiler.plan import Call
    from graph_core.config import RunnableConfig
    from graph_core.streaming import NodeOutput

Done: TypeAlias = "tuple[Branch, bool, Any]"
"""A branch whose call is done: whether it returned, and what it returned or raised."""


@final
@attrs.define(eq=False)
class Wait:
    """Start calls, and wait for any.

    Args:
        starts: branches with a call to start, in the order in which they shall start.
        one: give back one call at a time where calls run one after the other.
    """

    starts: list[Branch]
    one: bool


@final
@attrs.define(eq=False)
class Cancel:
    """Cancel calls of branches, and forget what they give.

    Args:
        is_over: tells whether a branch is meant.
    """

    is_over: Callable[[Branch], bool]


@final
@attrs.define(eq=False)
class Save:
    """A call of a saver.

    Args:
        call: the call.
        blocks: it may take long, so an event loop makes it in a thread.
    """

    call: Callable[[], Any]
    blocks: bool


Ask: TypeAlias = "tuple[Call, Any, RunnableConfig[Any] | None] | NodeOutput | Wait | Cancel | Save"

IMMEDIATE: Final = frozenset({dict, str, bool, int, type(None), list, tuple, Command, MultiCommand, Send, OverAllState})
"""Types of answers that need not be awaited: most answers are of one, and looking is cheaper than asking."""

FAILURES: Final = (Exception, CancelledError, GraphInterrupt, BaseExceptionGroup)
"""What a call may raise and still be its outcome: anything but an order to stop the program."""
