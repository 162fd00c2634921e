"""The examples of rules as logs: each with its accepting line, and with its rejecting line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from oracle.examples.rule_examples import Example, play
from oracle.histories.event_log import DepthHeader, Event, QueueHeader, Record
from oracle.histories.recording import Interval, Recorder
from oracle.mqi import calls
from oracle.mqi.definitions import QueueDefinition, define
from oracle.protocol import ObservedReply
from oracle.replay.steps import Replayed

_BEGIN_US = 1_704_067_200_000_000
_STEP_US = 10
_UNRECORDED = (calls.Alter, calls.Quiesce, calls.ScanExpired, calls.Transmit, calls.Deliver)


def is_recorded(example: Example) -> bool:
    """Return whether a log holds everything that happens in an example."""
    return not any(isinstance(step.call, _UNRECORDED) for step in play(example).steps)


def log_of(example: Example, name: str, *, rejected: bool) -> list[Record]:
    """Return the log of an example, whose queue manager has this name."""
    played = play(example)
    steps = played.wrong_steps if rejected else played.steps
    return [*_headers(example, name), *_events(steps, name, _bases(example))]


def _definitions(example: Example) -> Iterator[QueueDefinition]:
    for attributes in example.queues:
        yield define(QueueDefinition, attributes)


def _bases(example: Example) -> dict[str, str]:
    return {each.name: str(each.target) for each in _definitions(example) if each.type == "alias"}


def _headers(example: Example, name: str) -> Iterator[Record]:
    for each in _definitions(example):
        if each.type == "local":
            known = {key: value for key, value in each.attributes().items() if value is not None}
            yield QueueHeader(qmgr=name, queue=each.name, **known)
            yield DepthHeader(qmgr=name, queue=each.name, at_us=_BEGIN_US - 1, depth=0)


def _events(steps: Iterable[Replayed], name: str, bases: dict[str, str]) -> Iterator[Event]:
    """Yield the records of steps; each takes some microseconds, a wait lasts until it ends."""
    recorder, now = Recorder(name, bases), _BEGIN_US
    waiting: dict[int, tuple[calls.MqiCall, int]] = {}
    for step in steps:
        now += _STEP_US
        if isinstance(step.call, calls.Advance):
            now += step.call.milliseconds * 1000
        elif isinstance(step.call, calls.MqiCall):
            call = replace(step.call, conn=f"{name}/{step.call.conn}")
            if step.observed.pending and isinstance(step.call, calls.Get):
                waiting[step.call.identity] = call, now
            else:
                yield recorder.record(call, step.observed, Interval(now, now + 1))
        yield from _ended(recorder, waiting, step.observed, now + 2)


def _ended(
    recorder: Recorder, waiting: dict[int, tuple[calls.MqiCall, int]], observed: ObservedReply, now: int
) -> Iterator[Event]:
    for identity, done in observed.completed.items():
        if identity in waiting:
            call, began = waiting.pop(identity)
            yield recorder.record(call, done, Interval(began, now))
