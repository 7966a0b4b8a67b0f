"""A state that is changed, a `Maybe` that is taken for its value, a view of another type: S1, T4."""

from graph_core import OverAllState, StateGraph
from graph_core_tests.typing.schemas import Doc, Order, Told

state = StateGraph(Doc, output_schema=Told).compile().invoke({"n": 1})
doc: OverAllState[Doc] = OverAllState({"n": 1})

state["n"] = 1  # error: index | reportIndexIssue
del state["n"]  # error: attr-defined | reportIndexIssue
state["log"] += ["more"]  # error: index | reportIndexIssue

total: int = state.value("n") + 1  # error: operator | reportOperatorIssue reportUnknownVariableType
exact: int = state.value("n", of=int) + 1  # error: operator | reportOperatorIssue reportUnknownVariableType
number: int = state.value("n", of=int)  # error: assignment | reportAssignmentType
words: str = state.value("name", of=str).upper()  # error: attr-defined | reportAttributeAccessIssue reportUnknownMemberType reportUnknownVariableType
first: str = state.value("log")[0]  # error: index | reportIndexIssue reportUnknownVariableType
text: str = state.value_or("n", 0)  # error: assignment | reportAssignmentType
name: str = state.value("n", of=int).value_or("none")  # error: assignment | reportAssignmentType

whole: Doc = state.view()  # error: assignment | reportAssignmentType
count: int = state.view()["n"]  # error: typeddict-item | reportGeneralTypeIssues reportUnknownVariableType
lines: list[int] = state.view()["log"]  # error: assignment | reportAssignmentType
order: Order = doc.view()  # error: assignment | reportAssignmentType
n: int = StateGraph(Order).compile().invoke(Order()).view().m  # error: attr-defined | reportAttributeAccessIssue reportUnknownMemberType reportUnknownVariableType
other: OverAllState[Told] = doc  # error: assignment | reportAssignmentType

result = StateGraph(Doc).compile_result()
result.invoke({"n": 1})  # error: attr-defined | reportAttributeAccessIssue reportUnknownMemberType
tried: OverAllState[Told] = StateGraph(Doc).compile().try_invoke({"n": 1})  # error: assignment | reportAssignmentType
