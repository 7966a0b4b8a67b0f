"""Dates, times and time zones."""

from __future__ import annotations

import datetime as dt
import re
import sys
from typing import TYPE_CHECKING, Any, Final

import attrs

from graph_core.serializer.codec import PAYLOAD, Codec, Parts, as_is, boxed
from graph_core.serializer.failure import Failure

if TYPE_CHECKING:
    import zoneinfo

_ZONE, _FOLD = "tz", "fold"
_KEY: Final = re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*")


def _of_day(cls: type[dt.datetime | dt.time], tag: str) -> Codec:
    """Make the codec of a class that may have a time zone, and a second reading of an hour."""

    def decode(parts: Parts) -> Any:
        fold = parts.get(_FOLD, 0)
        if parts.keys() - {PAYLOAD, _ZONE, _FOLD} or fold not in {0, 1}:
            raise Failure("it must have a text, and may have a time zone and a fold of 1")
        return _iso(cls, parts[PAYLOAD]).replace(tzinfo=parts.get(_ZONE), fold=fold)

    return Codec(cls, tag, _parts_of, decode)


def _parts_of(value: Any) -> Parts:
    parts: Parts = {PAYLOAD: value.replace(tzinfo=None).isoformat()}
    if value.tzinfo is not None:
        parts[_ZONE] = value.tzinfo
    if value.fold:
        parts[_FOLD] = 1
    return parts


def _iso(cls: Any, text: Any) -> Any:
    """Read the form that is written; the standard library would take others as well."""
    found = cls.fromisoformat(as_is(str, text))
    if found.isoformat() != text:
        raise Failure(f"{text!r} is not how such a value is written")
    return found


def _delta(units: Any) -> dt.timedelta:
    days, seconds, microseconds = [as_is(int, unit) for unit in as_is(list, units)]
    return dt.timedelta(days, seconds, microseconds)


def _arguments(zone: Any) -> list[Any]:
    return list(zone.__getinitargs__())  # the offset, and a name only if one was given


def _zone(arguments: Any) -> dt.timezone:
    offset, *name = as_is(list, arguments)
    return dt.timezone(offset, *name)


def _key(zone: Any) -> str:
    if zone.key is None:
        raise Failure("a ZoneInfo without a key can not be found again; make it by ZoneInfo(key)")
    key: str = zone.key
    return key


def _zone_info(key: Any) -> zoneinfo.ZoneInfo:
    from zoneinfo import ZoneInfo  # it loads much, which few need

    if not _KEY.fullmatch(as_is(str, key)):
        raise Failure(f"{key!r} is no key of a time zone")
    return ZoneInfo(key)


def zone_codec(kind: type) -> Codec | None:
    """Give the codec of `ZoneInfo`; `None` if it is another class. Whoever has a zone has imported that module."""
    module: Any = sys.modules.get("zoneinfo")
    return attrs.evolve(ZONE, cls=kind) if module is not None and kind is module.ZoneInfo else None


ZONE: Final = boxed(object, "zoneinfo", _key, _zone_info)  # its class is known when the module is
TIMES: Final[tuple[Codec, ...]] = (
    _of_day(dt.datetime, "datetime"),
    _of_day(dt.time, "time"),
    boxed(dt.date, "date", dt.date.isoformat, lambda text: _iso(dt.date, text)),
    boxed(dt.timedelta, "timedelta", lambda delta: [delta.days, delta.seconds, delta.microseconds], _delta),
    boxed(dt.timezone, "timezone", _arguments, _zone),
)
