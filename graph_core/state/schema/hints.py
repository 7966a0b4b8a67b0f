"""Reading of type hints: resolving texts, taking wrappers off, binding type parameters."""

from __future__ import annotations

import inspect
import sys
import types
import typing
from typing import Any, Final, NewType, TypeVar, Union, final

import attrs
import typing_extensions

from graph_core.exception import InvalidRecordError

_QUALIFIERS: Final = frozenset({typing.Final, typing.ClassVar, typing_extensions.ReadOnly})
_PRESENCE: Final[dict[Any, bool]] = {typing.Required: True, typing.NotRequired: False}
_ALIASES: Final = (typing_extensions.TypeAliasType, getattr(typing, "TypeAliasType", typing_extensions.TypeAliasType))


@final
@attrs.frozen
class Hint:
    """A hint without its wrappers.

    Args:
        type: what is left.
        metadata: what `Annotated` held, the outermost last.
        required: what `Required` or `NotRequired` said.
    """

    type: Any
    metadata: tuple[Any, ...] = ()
    required: bool | None = None


def unwrapped(hint: Any) -> Hint:
    """Take `Annotated`, `Required`, `ReadOnly`, `Final` and aliases off a hint, however they are nested.

    >>> unwrapped(typing.Annotated[list[str], "doc"])
    Hint(type=list[str], metadata=('doc',), required=None)
    """
    metadata: tuple[Any, ...] = ()
    required: bool | None = None
    while True:
        origin = typing.get_origin(hint)
        if origin is typing.Annotated:
            metadata, hint = (*hint.__metadata__, *metadata), hint.__origin__
        elif origin in _PRESENCE:
            required, (hint,) = _PRESENCE[origin], typing.get_args(hint)
        elif origin in _QUALIFIERS:
            (hint,) = typing.get_args(hint)
        elif any(hint is qualifier for qualifier in _QUALIFIERS):
            hint = Any
        elif isinstance(hint, _ALIASES):
            hint = _evaluated(hint.__value__, hint.__module__)
        elif isinstance(origin, _ALIASES):
            alias: Any = origin
            hint = _evaluated(alias.__value__, alias.__module__)[typing.get_args(hint)]
        else:
            return Hint(_stripped(hint), metadata, required)


def _evaluated(value: Any, module: str | None) -> Any:
    """Evaluate the texts in an alias, which may name the alias itself."""
    holder = type("Holder", (), {"__annotations__": {"hint": value}})
    try:
        return typing.get_type_hints(holder, _names_of(module), {}, include_extras=True)["hint"]
    except NameError:  # it is not known where the alias is
        return value


def _names_of(module: str | None) -> dict[str, Any]:
    return dict(vars(sys.modules.get(module or "", types.ModuleType(""))))


def _stripped(hint: Any) -> Any:
    """Take `Annotated` off what is inside, too: its metadata may have no hash."""
    if isinstance(hint, type) or not typing.get_args(hint):
        return hint
    holder = type("Holder", (), {"__annotations__": {"hint": hint}})
    try:
        return typing.get_type_hints(holder, {}, {})["hint"]
    except NameError:  # a class that was read although a name in it is not known
        return hint


def plain(hint: Any) -> Any:
    """Give what a value is checked against: without wrappers, `NewType`s and type variables.

    >>> plain(NewType("UserId", int))
    <class 'int'>
    """
    while True:
        found = unwrapped(hint).type
        if isinstance(found, NewType):
            hint = found.__supertype__
        elif isinstance(found, TypeVar | typing_extensions.TypeVar):
            hint = found.__bound__ or (Union[found.__constraints__] if found.__constraints__ else Any)  # noqa: UP007
        else:
            return type(None) if found is None else found


def parts_of(hint: Any) -> tuple[Any, ...]:
    """Give the members of a union, each `plain`; any other hint alone.

    >>> parts_of(int | None)
    (<class 'int'>, <class 'NoneType'>)
    """
    bare = plain(hint)
    if typing.get_origin(bare) in {Union, types.UnionType}:
        return tuple(part for arg in typing.get_args(bare) for part in parts_of(arg))
    return (bare,)


def class_of(hint: Any) -> Any:
    """Give the class behind a hint, without its arguments; what has none is given back.

    >>> class_of(list[int])
    <class 'list'>
    """
    return typing.get_origin(hint) or hint


def bindings(cls: Any) -> dict[Any, Any]:
    """Give type parameter → argument, of a class or of an alias as `Page[int]`, through its generic bases."""
    origin: Any = class_of(cls)
    parameters = getattr(origin, "__parameters__", ())
    bound: dict[Any, Any] = dict(zip(parameters, typing.get_args(cls), strict=False))
    for base in origin.__dict__.get("__orig_bases__", ()):
        if isinstance(typing.get_origin(base), type) and typing.get_origin(base) is not typing.Generic:
            bound |= {name: substituted(arg, bound) for name, arg in bindings(base).items() if name not in bound}
    for base in origin.__bases__:
        bound = bindings(base) | bound if base is not object else bound
    return bound


def substituted(hint: Any, bound: dict[Any, Any]) -> Any:
    """Put arguments in the place of type parameters.

    >>> T = TypeVar("T")
    >>> substituted(dict[str, list[T]], {T: int})
    dict[str, list[int]]
    """
    if isinstance(hint, TypeVar | typing_extensions.TypeVar):
        return bound.get(hint, hint)
    generic: Any = hint
    parameters = () if inspect.isclass(hint) else getattr(generic, "__parameters__", ())
    return generic[tuple(bound.get(name, name) for name in parameters)] if parameters else hint


def resolved(owner: type, name: str, hint: Any) -> Any:
    """Evaluate what is text in the hint of a field.

    Args:
        owner: the class that declares the field.
        name: the field.
        hint: its annotation.

    Raises:
        InvalidRecordError: a name in it can not be found.
    """
    space = _names_of(owner.__module__)
    local = {key: value for key, value in vars(owner).items() if key not in space}
    generic = (*bindings(owner), *getattr(owner, "__type_params__", ()), *getattr(owner, "__parameters__", ()))
    local |= {owner.__name__: owner} | {parameter.__name__: parameter for parameter in generic}
    holder = type("Holder", (), {"__annotations__": {name: hint}, "__module__": owner.__module__})
    try:
        return typing.get_type_hints(holder, space, local, include_extras=True)[name]
    except Exception as error:
        written = getattr(hint, "__forward_arg__", hint)
        text = (
            f"{owner.__qualname__}: the hint of field {name!r}, {written!r}, can not be resolved ({error}); its names"
        )
        text = f"{text} must be known where the class is, at the top of its module and not only under TYPE_CHECKING"
        raise InvalidRecordError(text) from error


def shown(hint: Any) -> str:
    """Show a hint as one writes it, without the modules.

    >>> shown(typing.Optional[list[int]])
    'list[int] | None'
    """
    is_alias = isinstance(hint, _ALIASES) or isinstance(typing.get_origin(hint), _ALIASES)
    bare = hint if is_alias else unwrapped(hint).type  # an alias may name itself, so it is not opened
    origin, args = typing.get_origin(bare), typing.get_args(bare)
    if bare is None or bare is type(None):
        return "None"
    if origin in {Union, types.UnionType}:
        return " | ".join(map(shown, args))
    if origin is typing.Literal:
        return f"Literal[{', '.join(map(repr, args))}]"
    name = getattr(origin or bare, "__name__", None) or str(bare).removeprefix("typing.")
    return f"{name}[{', '.join(map(_argument, args))}]" if args else name


def _argument(hint: Any) -> str:
    if hint.__class__ is list:  # the parameters of a Callable
        return f"[{', '.join(map(shown, hint))}]"
    return "..." if hint is Ellipsis else shown(hint)
