"""Tests that every saver has to pass, those of users too.

In a test file:

    class TestMySaver(SaverConformance):
        def make_saver(self, **options):
            return MySaver(**options)  # options: `retention`, and `clock`, which gives the seconds since 1970

        def reopened(self, saver):  # for a saver that stores beyond its own life: as another process sees it
            return MySaver(...)

pytest finds the tests by itself; this package does not import it.
"""

from graph_core.checkpoint.conformance.asynchronous import AsyncTests
from graph_core.checkpoint.conformance.history import HistoryTests
from graph_core.checkpoint.conformance.housekeeping import HousekeepingTests
from graph_core.checkpoint.conformance.ids import IdTests
from graph_core.checkpoint.conformance.isolation import IsolationTests
from graph_core.checkpoint.conformance.ownership import OwnershipTests
from graph_core.checkpoint.conformance.races import RaceTests
from graph_core.checkpoint.conformance.reading import ReadingTests
from graph_core.checkpoint.conformance.records import RecordTests
from graph_core.checkpoint.conformance.retained import RetentionTests
from graph_core.checkpoint.conformance.story import Clock, SaverTests, Story, caught

__all__ = ["Clock", "SaverConformance", "SaverTests", "Story", "caught"]


class SaverConformance(
    HistoryTests,
    ReadingTests,
    OwnershipTests,
    RaceTests,
    RecordTests,
    IsolationTests,
    IdTests,
    HousekeepingTests,
    RetentionTests,
    AsyncTests,
):
    """All of them; subclass it, give it `make_saver`, and begin the name with `Test`."""
