"""The facts of each queue from the whole log, which an argument from absence needs.

A message that was never got in the log proves nothing while a call may be missing. These facts say for which queues
nothing is missing, and what else could have taken a message away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from spark_checks.frames import Engine, Frame
from spark_checks.frames.described import schema_of
from spark_checks.preparation.facts import PERMANENT, TEMPORARY, LogFacts, QueueFacts
from spark_checks.preparation.gathering import UNKNOWN_EARLIER, Gathered, Name
from spark_checks.preparation.schemas.queues import OfQueue
from spark_checks.preparation.uses import Use, uses_of_moves
from spark_checks.times import NEVER

_FACTS = schema_of(OfQueue)

_Gathered = Mapping[str, Any]
"""The gathered facts of one queue: the columns of GatheredOfCalls, or of GatheredOfMoves."""


def uses_of(gathered: Gathered, facts: LogFacts) -> frozenset[Use]:
    """Return the uses of the log, so that checks that would find nothing can be left out."""
    found = {use for use in uses_of_moves() if any(moves[use.name] for moves in gathered.moves.values())}
    defined = {(known.qmgr, known.queue): known for known in facts.queues}
    of_defined = ((defined[name], moves) for name, moves in gathered.moves.items() if name in defined)
    if any(_limit(definition, moves["puts"]) is not None for definition, moves in of_defined):
        found.add(Use.LIMITS)
    return frozenset(found)


def queue_facts(engine: Engine, gathered: Gathered, facts: LogFacts) -> Frame:
    """Return one row per queue that was put to or got from, with the columns of OfQueue."""
    defined = {(known.qmgr, known.queue): known for known in facts.queues}
    logged_us: dict[str, int] = {}
    for (qmgr, _), calls in gathered.calls.items():
        logged_us[qmgr] = min(calls["logged_us"], logged_us.get(qmgr, NEVER))
    twice, models = _perhaps_twice(gathered), _models(gathered, facts.models)
    rows: list[tuple[Any, ...]] = []
    for (qmgr, queue), moves in gathered.moves.items():
        if queue is None:
            continue
        own = gathered.calls.get((qmgr, queue))
        of_calls = [each for each in (own, gathered.calls.get((qmgr, None))) if each is not None]
        definition = defined.get((qmgr, queue)) or _definition_of_model(qmgr, queue, own, facts)
        seen = facts.complete and (qmgr, None) not in gathered.moves and (qmgr, queue) not in twice
        row = {
            "qmgr": qmgr,
            "queue": queue,
            "logged_us": logged_us[qmgr],
            "reassembles": any(each["reassembles"] for each in of_calls),
            "transmission": moves["transmission"] or definition.usage == "TRANSMISSION",
            "pinned": definition.empty_at_us is not None
            and definition.empty_at_us + 2 * facts.clock_us <= moves["first_us"],
            "limit": _limit(definition, moves["puts"]),
            **_shown_by_moves(moves, seen=seen),
            **_defined(definition, was_set=any(each["was_set"] for each in of_calls)),
            **_time_of_life(definition, own, of_calls, models.get(qmgr, set())),
        }
        rows.append(tuple(row[name] for name in _FACTS))
    return engine.frame(rows, _FACTS)


def _definition_of_model(qmgr: str, queue: str, own: _Gathered | None, facts: LogFacts) -> QueueFacts:
    """Return what is known of a queue without a definition: the attributes of its model, if it has one."""
    model = facts.model_of(qmgr, own.get("opened_as", ())) if own is not None else None
    return replace(model or QueueFacts(qmgr, queue), queue=queue)


def _shown_by_moves(moves: _Gathered, *, seen: bool) -> dict[str, Any]:
    """Return what the puts and gets of a queue show. `seen` is whether the log has all that were made."""
    return {
        "whole": seen and not moves["blind"],
        "but_for_unknown_effects": seen and not moves["nearly_blind"],
        "restored_us": max(moves["restored_us"], default=None),
        "split": moves[Use.SPLITS.name],
        **{
            name: moves[name]
            for name in ("asks_of_unknown_effect", "unmatched", "asked", "taken_ranks", "taken_by", "ungrouped")
        },
    }


def _defined(definition: QueueFacts, *, was_set: bool) -> dict[str, Any]:
    """Return the attributes of a definition; null for those of them that an MQSET may have changed (`was_set`)."""
    return {
        "sequence": definition.sequence if definition.sequence in {"PRIORITY", "FIFO"} else None,
        "index_type": definition.index_type,
        "cap_expiry": definition.cap_expiry,
        "ordinary": definition.usage == "NORMAL",
        "get_inhibited": _inhibited(definition.inhibit_get, was_set=was_set),
        "put_inhibited": _inhibited(definition.inhibit_put, was_set=was_set),
        "max_msg_length": definition.max_msg_length,
        "def_priority": definition.def_priority,
        "def_persistence": definition.def_persistence,
        "def_put_response": definition.def_put_response,
    }


def _inhibited(attribute: int | None, *, was_set: bool) -> bool | None:
    return None if attribute is None or was_set else attribute == 1


def _limit(definition: QueueFacts, puts: int) -> int | None:
    """Return MaxQDepth if so many messages were put; None if there were fewer, or it is not known."""
    return definition.max_depth if 0 < (definition.max_depth or 0) <= puts else None


def _time_of_life(
    definition: QueueFacts, own: _Gathered | None, of_calls: Sequence[_Gathered], models: Set[str]
) -> dict[str, Any]:
    """Return whether a queue may have been deleted, when it may have been made, and whether it is surely dynamic."""
    vanish = definition.definition_type != "PREDEFINED" and any(each["may_vanish"] for each in of_calls)
    made = [{**UNKNOWN_EARLIER, **each} for each in of_calls] if vanish else []
    return {
        "may_vanish": vanish,
        "made_us": min((each["made_us"] for each in made), default=NEVER),
        "made_until_us": max((each["made_until_us"] for each in made), default=-NEVER),
        "dynamic": vanish and _is_dynamic(definition, own, models),
    }


def _is_dynamic(definition: QueueFacts, own: _Gathered | None, models: Set[str]) -> bool:
    """Return whether a queue is surely dynamic: by its definition, an MQCLOSE that deleted it, or its model."""
    by_calls = own is not None and (own["deletions"] > 0 or not models.isdisjoint(own.get("opened_as", ())))
    return definition.definition_type in (PERMANENT, TEMPORARY) or by_calls


def _models(gathered: Gathered, defined: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """Return the names of model queues by queue manager: those defined, and those by which several were opened."""
    opened: dict[str, Counter[str]] = {}
    for (qmgr, queue), calls in gathered.calls.items():
        if queue is not None:
            opened.setdefault(qmgr, Counter()).update(calls.get("opened_as", ()))
    models = {qmgr: {name for name, queues in names.items() if queues > 1} for qmgr, names in opened.items()}
    for qmgr, name in defined:
        models.setdefault(qmgr, set()).add(name)
    return models


def _perhaps_twice(gathered: Gathered) -> frozenset[Name]:
    """Return the queues that may be in the log a second time, as those of a queue manager known by its address only.

    A packet capture names a queue manager by its address if no channel shows its name, which has no colon.
    """
    managers: dict[str | None, set[str]] = {}
    for qmgr, queue in gathered.moves:
        managers.setdefault(queue, set()).add(qmgr)
    nameless = managers.get(None, set())
    found: set[Name] = set()
    for queue, of_queue in managers.items():
        of_any = of_queue | nameless
        by_address = {qmgr for qmgr in of_any if ":" in qmgr}
        if by_address and len(of_any) > 1:
            found |= {(qmgr, queue) for qmgr in of_queue if ":" in qmgr or by_address - {qmgr}}
    return frozenset(found)
