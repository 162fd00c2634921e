"""The queues of a log that can be followed, since when, and the facts by which their calls are judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from oracle.errors import BadInputError
from oracle.histories.event_log import Header, LogHeader, QueueHeader
from oracle.mqi.constants import MQCC
from oracle.mqi.definitions import QueueDefinition
from oracle.replay.log import alias_of, definition_of
from spark_checks.frames import Frame, Row
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import unknown_or
from spark_checks.preparation.connections import has_unknown_effect
from spark_checks.preparation.facts import ASYNCHRONOUS, attributes_of
from spark_checks.preparation.log import Log
from spark_checks.replay.circumstances import Circumstances
from spark_checks.replay.rests import Queue, Rests
from spark_checks.times import NEVER

_RESTLESS: Final = "it was not surely empty and at rest at a time since which all calls are remembered"
_NOT_FOLLOWED_BEFORE: Final = "the queues were not followed on an earlier day"


@dataclass
class Followable:
    """The queues that can be followed, and the reasons why others cannot."""

    queues: dict[Queue, Circumstances] = field(default_factory=dict)
    """For each queue that can be followed, the facts by which its calls are judged."""
    since_us: dict[Queue, int] = field(default_factory=dict)
    """For each queue that can be followed, the time since which it can, in microseconds since 1970-01-01 UTC.

    -NEVER if all of its calls can be followed.
    """
    unknown: Counter[str] = field(default_factory=Counter)
    """The number of queues that cannot be followed, by reason."""
    left: Rests | None = None
    """The state for a later day, as if no queue were known to be at rest.

    None if no queue can be followed on any later day.
    """


def followable(log: Log, headers: Sequence[Header], earlier: Rests | None) -> Followable:
    """Return what can be followed of a log, given the state `earlier` of the day before."""
    definitions, aliases = _definitions(headers), _aliases(headers)
    if earlier is None:
        return Followable(unknown=Counter({_NOT_FOLLOWED_BEFORE: log.queues.count()}))
    if not log.facts.complete or not definitions:
        return Followable()
    found = Followable()
    blind, reporting = _managers(log.calls)
    blind, reporting = blind | earlier.blind, reporting | earlier.reporting
    header = LogHeader(clock_us=log.facts.clock_us, complete=True, platform=log.facts.platform)
    rows = log.queues.collect()
    for row in rows:
        queue = qmgr, _ = row["qmgr"], row["queue"]
        definition = definitions.get(queue, "the log has no header for it")
        if isinstance(definition, QueueDefinition):
            definition = _missing(row, blind=qmgr in blind) or definition
        since_us = earlier.since_us.get(queue, -NEVER)
        if isinstance(definition, QueueDefinition) and since_us is not None:
            asynchronous = row["def_put_response"] == ASYNCHRONOUS
            known = tuple(aliases.get(queue, ()))
            found.queues[queue] = Circumstances(header, definition, qmgr in reporting, asynchronous, known)
            found.since_us[queue] = since_us
        else:
            found.unknown[definition if isinstance(definition, str) else _RESTLESS] += 1
    found.left = Rests({(row["qmgr"], row["queue"]): None for row in rows}, blind, reporting)
    return found


def _missing(queue: Row, *, blind: bool) -> str | None:
    """Return what else must be known of a queue to follow it."""
    reasons = {
        "calls on it may be missing from the log": not queue["whole"],
        "no header says that it was empty when the log began": not queue["pinned"],
        "the log does not name the queue of every call": blind,
        "it may have been deleted": queue["may_vanish"],
    }
    return next((why for why, applies in reasons.items() if applies), None)


def _agreed(headers: Sequence[Header], *, of_aliases: bool) -> dict[Queue, QueueHeader | None]:
    """Return the header of each alias, or of each other queue; None if its headers contradict each other."""
    found: dict[Queue, QueueHeader | None] = {}
    for header in headers:
        if not isinstance(header, QueueHeader) or header.of_queue_manager or (header.kind == "alias") != of_aliases:
            continue
        said = header.model_copy(update=attributes_of(header))
        queue = (header.qmgr, header.queue)
        found[queue] = said if found.setdefault(queue, said) == said else None
    return found


def _definitions(headers: Sequence[Header]) -> dict[Queue, QueueDefinition | str]:
    """Return each queue that headers define, or the reason why they are not enough to follow its calls."""
    found: dict[Queue, QueueDefinition | str] = {}
    for queue, header in _agreed(headers, of_aliases=False).items():
        try:
            found[queue] = "its headers contradict each other" if header is None else definition_of(header)
        except BadInputError as error:
            found[queue] = str(error)
    return found


def _aliases(headers: Sequence[Header]) -> dict[Queue, list[QueueDefinition]]:
    """Return by queue the aliases of it with one definition that has all that counts."""
    found: dict[Queue, list[QueueDefinition]] = {}
    for (qmgr, _), header in sorted(_agreed(headers, of_aliases=True).items()):
        with suppress(BadInputError):
            definition = None if header is None else alias_of(header)
            if definition is not None:
                found.setdefault((qmgr, str(definition.target)), []).append(definition)
    return found


def _managers(calls: Frame) -> tuple[frozenset[str], frozenset[str]]:
    """Return the queue managers with a call that may have changed an unnamed queue, and those asked for reports."""
    named = ("MQOPEN", "MQCLOSE", "MQPUT", "MQPUT1", "MQGET", "MQSET", "CALLBACK")
    effective = unknown_or(fn.col("comp_code") != MQCC.FAILED) | has_unknown_effect()
    unnamed = fn.col("call").is_in(*named) & fn.col("queue").is_null() & effective
    reports = fn.col("call").is_in("MQPUT", "MQPUT1") & unknown_or(fn.col("report") != 0)
    rows = calls.group_by("qmgr").agg(fn.max(unnamed).alias("unnamed"), fn.max(reports).alias("reports")).collect()
    blind, reporting = (frozenset(row["qmgr"] for row in rows if row[fact]) for fact in ("unnamed", "reports"))
    return blind, reporting
