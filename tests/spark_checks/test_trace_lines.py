"""Activity traces that lost lines, or have lines twice: no call that is read was not made so."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from fixtures.activity_traces import MEDIUM, Tracing, amqsact, amqsevt
from oracle.errors import BadInputError
from oracle.histories.event_log import Event
from tests.spark_checks.traced_history import carried, played
from tests.spark_checks.whole_trace import read_trace

HISTORY = played()
TRACINGS = [Tracing(batch=7), Tracing(dumps="before", batch=3), Tracing(level=MEDIUM, batch=5)]
_PLACE = {"conn", "seq", "start_us", "end_us", "source", "line"}
_LESS = {"length", "group_id", "msg_seq_number", "offset"}
"""The columns that a trace has of a call only if lines are missing, by which it knows that it cannot have them."""
Columns = dict[str, Any]


def read(tmp_path: Path, lines: list[str]) -> tuple[list[Event], int]:
    """Return the calls in a trace, and the number of errors."""
    path = tmp_path / "trace"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    records = list(read_trace(path))
    return [one for one in records if isinstance(one, Event)], sum(isinstance(one, BadInputError) for one in records)


def agrees(event: Event, true: Columns) -> bool:
    """Return whether no column of a call contradicts the truth."""
    shown = {name: value for name, value in event.model_dump(exclude=_PLACE).items() if value is not None}
    return all(true[name] == value for name, value in shown.items() if name not in _LESS or true[name] is not None)


def call_follows(lines: list[str]) -> bool:
    """Return whether a call begins before the trace message ends."""
    return next((line.startswith("MQI Operation") for line in lines if line.startswith(("MQI Op", "==="))), False)


@pytest.mark.parametrize("tracing", TRACINGS)
def test_a_last_call_with_a_parameter_of_another_one_is_not_read(tmp_path: Path, tracing: Tracing) -> None:
    lines = amqsact(HISTORY, tracing).splitlines()
    begins = [at for at, line in enumerate(lines) if line.startswith("MQI Operation")]
    ends = [at for at, line in enumerate(lines) if line.startswith("===")]
    tried = 0
    for end in ends:
        last = [at for at in begins if at < end][-2:]
        labels = [line.partition(":")[0] for line in lines[last[0] : end]]
        if lines[last[0]].endswith(": 0") or labels.count("  Hobj") < 2 or last[1] - last[0] < 8:
            continue
        hobj, other = (at for at in range(last[0], end) if lines[at].startswith("  Hobj:"))
        events, errors = read(tmp_path, lines[: hobj + 2] + lines[other:])
        whole, _ = read(tmp_path, lines)
        assert (len(whole) - len(events), errors) == (2, 1), lines[last[1]]
        tried += 1
    assert tried


@pytest.mark.parametrize("label", ["Object_name", "Put Options"])
def test_a_last_call_with_a_parameter_of_another_kind_of_call_is_not_read(tmp_path: Path, label: str) -> None:
    """Lines are missing from the last call of a trace message up to the middle of another trace message's last call."""
    lines = amqsact(HISTORY, Tracing(batch=1)).splitlines()

    def after(at: int, begins: str) -> int:
        return next(number for number in range(at, len(lines)) if lines[number].startswith(begins))

    get, put = (lines.index(f"  Operation Id: MQXF_{kind}") for kind in ("GET", "PUT"))
    rest, end = after(put, f"  {label}:"), after(put, "===")
    other = "  Object_name: 'OTHER'" if label == "Object_name" else lines[rest]
    begun = lines[get - 1 : after(get, "  Object_name:") + 1]
    head = lines[: after(0, "MQI Operation")]
    assert read(tmp_path, [*head, *lines[get - 1 : after(get, "===") + 1]])[1] == 0
    assert read(tmp_path, [*head, *begun, other, *lines[rest + 1 : end + 1]]) == ([], 1)


@pytest.mark.parametrize("tracing", TRACINGS)
@pytest.mark.parametrize("seed", range(3))
def test_no_call_of_a_trace_that_lost_lines_is_made_of_two(tmp_path: Path, tracing: Tracing, seed: int) -> None:
    chance = random.Random(seed)
    lines = amqsact(HISTORY, tracing).splitlines()
    true = [carried(event, tracing) for event in HISTORY]
    for _ in range(25):
        begin = chance.randrange(len(lines))
        end = begin + chance.choice((1, 5, 20, 40, 60))
        if not call_follows(lines[end:]):
            continue  # nothing shows that the last call is made of two
        events, _ = read(tmp_path, lines[:begin] + lines[end:])
        strange = [event for event in events if not any(agrees(event, one) for one in true)]
        assert strange == [], (begin, end)


@pytest.mark.parametrize("tracing", TRACINGS)
@pytest.mark.parametrize("seed", range(3))
def test_lines_of_a_text_that_are_there_twice_make_no_call_another(tmp_path: Path, tracing: Tracing, seed: int) -> None:
    chance = random.Random(seed)
    lines = amqsact(HISTORY, tracing).splitlines()
    true = [carried(event, tracing) for event in HISTORY]
    for _ in range(10):
        twice = {chance.randrange(len(lines)) for _ in range(12)}
        events, _ = read(tmp_path, [line for at, line in enumerate(lines) for _ in range(1 + (at in twice))])
        strange = [event for event in events if not any(agrees(event, one) for one in true)]
        assert strange == [], sorted(twice)


def test_a_line_of_json_that_is_there_twice_is_no_second_call(tmp_path: Path) -> None:
    lines = amqsevt(HISTORY, Tracing(), "json").splitlines()
    at = next(at for at, line in enumerate(lines) if line.endswith("},") and '"operationId": "Put"' in line)
    events, errors = read(tmp_path, [*lines[: at + 1], *lines[at:]])
    assert (len(events), errors) == (len(HISTORY), 0)
