"""A payload that is not what the reference says: P6, T4."""

from typing import Literal

from graph_core import NodeRef, Send
from graph_core_tests.typing.schemas import Item, Parcel
from graph_core_tests.typing.test_sends import ITEM, ORDER

Send(ITEM, {"item": "one", "name": "nut"})  # error: arg-type | reportArgumentType reportCallIssue
Send(ITEM, {"item": 1})  # error: arg-type | reportArgumentType reportCallIssue
Send(ITEM, {"item": 1, "name": "nut", "size": 2})  # error: arg-type | reportArgumentType reportCallIssue
Send(ITEM, Parcel())  # error: arg-type | reportArgumentType reportCallIssue
Send(NodeRef[Item]("work"), {"item": "one", "name": "nut"})  # error: arg-type | reportArgumentType reportCallIssue
Send(ORDER, Parcel())  # error: arg-type | reportArgumentType reportCallIssue
Send(ORDER, {"n": 1})  # error: arg-type | reportArgumentType reportCallIssue
Send(ORDER)  # error: call-overload | reportArgumentType
Send(1, {"n": 1})  # error: call-overload | reportArgumentType reportCallIssue
NodeRef[Item]("work", Parcel)  # error: arg-type | reportArgumentType

other: NodeRef[Item] = ORDER  # error: assignment | reportAssignmentType
exact: Send[Literal["work"]] = Send("rest")  # error: arg-type | reportAssignmentType
