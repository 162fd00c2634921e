"""The demonstration: the day conforms, and the audit finds exactly the planted defects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from oracle.histories.event_log import Event
from oracle.mqi.constants import MQRC
from spark_checks.demo.demonstration import Demonstration, demonstrate
from spark_checks.demo.planting import plant_defects
from spark_checks.demo.simulation import Day, simulate_day
from spark_checks.frames import Engine


@pytest.fixture(scope="module")
def day() -> Day:
    return simulate_day(3)


def test_the_same_seed_gives_the_same_day(day: Day) -> None:
    assert simulate_day(3) == day
    assert simulate_day(4).events[:200] != day.events[:200]


def test_a_day_numbers_the_calls_of_each_connection_and_keeps_their_order(day: Day) -> None:
    for conn in {event.conn for event in day.events}:
        of_conn = [event for event in day.events if event.conn == conn]
        assert [event.seq for event in of_conn] == list(range(1, len(of_conn) + 1))
    assert all(event.start_us < event.end_us for event in day.events)


def test_a_day_holds_what_the_rules_are_about(day: Day) -> None:
    calls = [(event.call, event.reason) for event in day.events]
    for wanted in (("MQBACK", 0), ("MQCMIT", 0), ("MQGET", MQRC.NO_MSG_AVAILABLE), ("MQPUT", 0)):
        assert wanted in calls
    assert len({event.conn for event in day.events}) == 5


def test_planting_changes_only_the_evening(day: Day) -> None:
    planted = plant_defects(day)
    assert planted.events[: day.evening] == day.events[: day.evening]
    assert planted.events[day.evening :] != day.events[day.evening :]
    assert len(planted.planted) == 6
    assert planted.headers == day.headers


def test_no_message_data_are_in_the_record(day: Day) -> None:
    lengths = {event.length for event in day.events if event.call == "MQPUT"}
    assert lengths
    assert not any("evening" in str(getattr(event, name)) for event in day.events for name in Event.model_fields)


@pytest.fixture(scope="module")
def demonstration(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Demonstration:
    return demonstrate(engine, 3, Path(tmp_path_factory.mktemp("demo")), lambda _: None)


def test_exactly_the_planted_defects_are_found(demonstration: Demonstration) -> None:
    assert demonstration.found == demonstration.planted
    assert demonstration.exact


def test_a_defect_too_many_or_too_few_is_noticed(demonstration: Demonstration) -> None:
    fewer = replace(demonstration.day, planted=demonstration.day.planted[1:])
    assert not replace(demonstration, day=fewer).exact
    assert not replace(demonstration, found=demonstration.found - {next(iter(demonstration.planted))}).exact
