"""The update language of the scenarios, and merging by key strategies (S2 to S7)."""

from collections.abc import Iterable, Mapping, Sequence

from graph_core_tests.model.errors import MERGE_TYPES, UNKNOWN_EXPRESSION, ModelError
from graph_core_tests.model.graph import Json, State, StrategyName

_MARKERS = ("$replace_all", "$remove_by_hash", "$send")


def _expression(value: Json) -> tuple[str, Json] | None:
    """The operator and operand of `{"$op": operand}`, or None for a literal."""
    if isinstance(value, dict) and len(value) == 1:
        name, operand = next(iter(value.items()))
        if name.startswith("$"):
            return name, operand
    return None


def _number(state: State, key: str) -> float:
    """The number under a key; what is absent or no number counts as 0."""
    value = state.get(key)
    return value if isinstance(value, int | float) else 0


def _size(value: Json) -> int:
    """The length of a container; 0 for anything else."""
    return len(value) if isinstance(value, list | dict | str) else 0


def evaluate(value: Json, state: State, visits: int) -> Json:
    """The value an expression stands for; removal and replacement markers stay as they are."""
    expression = _expression(value)
    if expression is not None:
        return _apply(expression, value, state, visits)
    if isinstance(value, dict):
        return {key: evaluate(item, state, visits) for key, item in value.items()}
    if isinstance(value, list):
        return [evaluate(item, state, visits) for item in value]
    return value


def _apply(expression: tuple[str, Json], value: Json, state: State, visits: int) -> Json:
    """The value of one `$` expression."""
    name, operand = expression
    if name == "$visits":
        return visits
    if name == "$remove":
        return value
    if name in _MARKERS:
        return {name: evaluate(operand, state, visits)}
    key = str(operand)
    if name == "$get":
        return state.get(key)
    if name == "$inc":
        return _number(state, key) + 1
    if name == "$size":
        return _size(state.get(key))
    raise ModelError(UNKNOWN_EXPRESSION, name)


def evaluate_update(update: State, state: State, visits: int) -> State:
    """Every value of an update, evaluated on the state its node saw."""
    return {key: evaluate(value, state, visits) for key, value in update.items()}


def evaluate_route(route: Json, state: State) -> list[Json]:
    """The labels and Sends a router answers, in its order."""
    if isinstance(route, dict) and "if_lt" in route:
        condition = route["if_lt"]
        if not isinstance(condition, list):
            raise ModelError(UNKNOWN_EXPRESSION, "if_lt")
        limit = condition[1]
        below = isinstance(limit, int | float) and _number(state, str(condition[0])) < limit
        return evaluate_route(route["then"] if below else route["else"], state)
    if isinstance(route, list):
        return [item for part in route for item in evaluate_route(part, state)]
    expression = _expression(route)
    if expression is None or expression[0] == "$send":
        return [route]
    answer = evaluate(route, state, 0)
    return answer if isinstance(answer, list) else [answer]


def visit_value(values: Sequence[State], visit: int) -> State:
    """The entry of the n-th visit (from 1); the last one repeats, none is an empty update."""
    return values[min(visit, len(values)) - 1] if values else {}


def merge(strategies: Mapping[str, StrategyName], state: State, update: State) -> State:
    """A new state: the update's keys merged in by their strategies."""
    merged = dict(state)
    for key, value in update.items():
        expression = _expression(value)
        if expression is not None and expression[0] == "$remove":
            merged.pop(key, None)
        elif expression is not None and expression[0] == "$replace_all":
            merged[key] = expression[1]
        else:
            _merge_key(strategies.get(key, "replace"), merged, key, value)
    return merged


def _merge_key(strategy: StrategyName, state: State, key: str, value: Json) -> None:
    """Store one merged value; `None` leaves the key alone except under `replace` (S5)."""
    if strategy == "replace":
        state[key] = value
    elif value is None:
        return
    elif strategy == "merge":
        state[key] = _union(key, state.get(key), value)
    else:
        state[key] = _append(state.get(key), value, unique=strategy == "append_unique")


def _append(old: Json, new: Json, *, unique: bool) -> Json:
    """The old list with the new elements behind it (S6)."""
    result: list[Json] = list(old) if isinstance(old, list) else [] if old is None else [old]
    for item in new if isinstance(new, list) else [new]:
        expression = _expression(item)
        if expression is not None and expression[0] == "$remove_by_hash":
            if expression[1] in result:
                result.remove(expression[1])
        else:
            result.append(item)
    return _distinct(result) if unique else result


def _distinct(items: Iterable[Json]) -> list[Json]:
    """The items without repetitions, first ones kept."""
    result: list[Json] = []
    for item in items:
        if item not in result:
            result.append(item)
    return result


def _union(key: str, old: Json, new: Json) -> Json:
    """Two mappings united, the new entries winning (S7)."""
    if old is None:
        old = {} if isinstance(new, dict) else new
    if isinstance(old, dict) and isinstance(new, dict):
        union = {**old, **new}
        return {name: item for name, item in union.items() if item != {"$remove": True}}
    if isinstance(old, dict) != isinstance(new, dict):
        raise ModelError(MERGE_TYPES, key)
    return new
