"""A node's update with a wrong field: T2, T4."""

from graph_core import OverAllState, RunnableConfig
from graph_core_tests.typing.schemas import Desk, Doc, DocUpdate, Form, Note, Order, Parcel


def of_attrs(order: Order) -> Order:
    return Order(n="many", log=order.log)  # error: arg-type | reportArgumentType


def of_attrs_unknown(order: Order) -> Order:
    return Order(m=order.n)  # error: call-arg | reportCallIssue


def of_attrs_read(order: Order) -> Order:
    return Order(order.m)  # error: attr-defined | reportAttributeAccessIssue reportUnknownArgumentType reportUnknownMemberType


def of_dataclass(note: Note) -> Note:
    return Note("many")  # error: arg-type | reportArgumentType


def of_pydantic(form: Form) -> Form:
    return Form(n="many")  # error: arg-type | reportArgumentType


def of_another_class(order: Order) -> Order:
    return Parcel(order.n)  # error: return-value | reportReturnType


def of_a_key(doc: Doc) -> DocUpdate:
    return {"n": "many"}  # error: typeddict-item | reportReturnType


def of_an_unknown_key(doc: Doc) -> DocUpdate:
    return {"m": 1}  # error: typeddict-unknown-key | reportReturnType


def of_a_key_inside(doc: Doc) -> DocUpdate:
    return {"log": [1]}  # error: list-item | reportReturnType


async def later(doc: Doc) -> DocUpdate:
    return {"n": doc["m"]}  # error: typeddict-item | reportGeneralTypeIssues


def of_the_context(doc: Doc, config: RunnableConfig[Desk]) -> DocUpdate:
    return {"n": config.context}  # error: typeddict-item | reportReturnType


def of_the_state(state: OverAllState[Doc]) -> DocUpdate:
    return {"log": state.view()["n"]}  # error: typeddict-item | reportReturnType
