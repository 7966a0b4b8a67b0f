"""One serializer serves many threads."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier
from typing import Any

import attrs

from graph_core.serializer import Serializer
from graph_core_tests.serializer.made import Money, Open

WORKERS = 8


def test_writing_and_reading_at_once() -> None:
    """No call sees anything of another, and classes may be registered meanwhile."""
    serializer = Serializer(Money, Open)
    start = Barrier(WORKERS)

    def work(worker: int) -> bool:
        start.wait()
        own: Any = attrs.make_class(f"Own{worker}", ["value"])
        serializer.register(own)
        values = [Open((worker, i, Money(Decimal(i)), own({i}))) for i in range(100)]
        return all(serializer.loads(serializer.dumps(value)) == value for value in values)

    with ThreadPoolExecutor(WORKERS) as pool:
        assert all(pool.map(work, range(WORKERS)))


def test_registering_one_class_at_once() -> None:
    """It is on the list once."""
    serializer = Serializer()
    start = Barrier(WORKERS)

    def work(_: int) -> Serializer:
        start.wait()
        return serializer.register(Money)

    with ThreadPoolExecutor(WORKERS) as pool:
        assert all(each is serializer for each in pool.map(work, range(WORKERS)))
    assert repr(serializer) == f"Serializer('{Money.__module__}.Money')"
