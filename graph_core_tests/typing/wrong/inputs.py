"""An input or a context that the graph does not take: T1, T3, T4."""

from graph_core import RunnableConfig, StateGraph
from graph_core_tests.typing.schemas import Asked, Desk, Doc, Form, Note, Order, Parcel, Told

doc = StateGraph(Doc).compile()
doc.invoke({"n": "one"})  # error: arg-type | reportArgumentType
doc.invoke({"m": 1})  # error: arg-type | reportArgumentType
doc.invoke({"n": 1, "m": 1})  # error: arg-type | reportArgumentType
doc.invoke({})  # error: arg-type | reportArgumentType
doc.invoke(Order())  # error: arg-type | reportArgumentType
doc.invoke(5)  # error: arg-type | reportArgumentType
doc.run({"n": "one"})  # error: arg-type | reportArgumentType
doc.stream({"n": "one"})  # error: arg-type | reportArgumentType
doc.astream({"n": "one"})  # error: arg-type | reportArgumentType
doc.try_invoke({"n": "one"})  # error: arg-type | reportArgumentType
doc.invoke_and_get_output({"n": "one"})  # error: arg-type | reportArgumentType

order = StateGraph(Order).compile()
order.invoke(Parcel())  # error: arg-type | reportArgumentType
order.invoke({"n": 1})  # error: arg-type | reportArgumentType
order.invoke(5)  # error: arg-type | reportArgumentType
StateGraph(Note).compile().invoke(Form())  # error: arg-type | reportArgumentType
StateGraph(Form).compile().invoke(Note())  # error: arg-type | reportArgumentType

asked = StateGraph(Doc, input_schema=Asked, output_schema=["n"]).compile()
asked.invoke({"n": 1, "log": []})  # error: arg-type | reportArgumentType

for untyped in (StateGraph(), StateGraph(input_schema=["n"]), StateGraph(output_schema=["n"])):
    untyped.compile().invoke(5)  # error: arg-type | reportArgumentType
    untyped.compile().invoke(Order())  # error: arg-type | reportArgumentType
    untyped.compile().invoke("n")  # error: arg-type | reportArgumentType
StateGraph(Doc, input_schema=["n"]).compile().invoke(5)  # error: arg-type | reportArgumentType

desk = StateGraph(Doc, context_schema=Desk).compile()
desk.invoke({"n": 1}, RunnableConfig(context=Order()))  # error: arg-type | reportArgumentType
desk.invoke({"n": 1}, RunnableConfig(context="ann"))  # error: arg-type | reportArgumentType
config = RunnableConfig(context=Order())
desk.run({"n": 1}, config)  # error: arg-type | reportArgumentType
desk.stream({"n": 1}, config)  # error: arg-type | reportArgumentType
desk.invoke({"n": 1}, Desk())  # error: arg-type | reportArgumentType
StateGraph(context_schema=Desk).compile().invoke({}, config)  # error: arg-type | reportArgumentType

told: StateGraph[Doc, Desk, Asked, Doc] = StateGraph(Doc, output_schema=Told)  # error: assignment | reportAssignmentType
StateGraph(5)  # error: call-overload | reportArgumentType reportCallIssue
StateGraph(Doc, coerce="yes")  # error: call-overload | reportArgumentType reportCallIssue
StateGraph(Doc, context_schema=Desk())  # error: call-overload | reportArgumentType reportCallIssue
