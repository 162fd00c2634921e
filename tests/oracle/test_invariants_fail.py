"""Each invariant is broken by some wrong model: a table of mutations, one decision replaced at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pytest

from oracle.histories.history import Bindings, observed_of, with_connections
from oracle.histories.notation import parse
from oracle.model.queue_manager import new_state, outcomes
from oracle.model.reply import failure
from oracle.mqi.constants import MQRC
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.mqi.profile import PlatformName, Profile
from tests.oracle import invariants, invariants_of_features
from tests.oracle.invariants import Taken

QUEUES = (
    {"name": "Q", "InitiationQName": "I", "TriggerControl": 0, "ProcessName": "P"},
    {"name": "R"},
    {"name": "D"},
    {"name": "I"},
    {"name": "T", "InitiationQName": "I", "TriggerControl": 1, "TriggerType": 2, "ProcessName": "P"},
)
OPENS = "h = open Q BROWSE+INPUT_SHARED+OUTPUT+INQUIRE+CO_OP\ng = B.open Q BROWSE+INPUT_SHARED+CO_OP\n"

Wrong = Callable[[Callable[..., Any]], Callable[..., Any]]


@dataclass(frozen=True)
class Mutation:
    """A wrong model: a function of the model replaced, what shows it, and the invariant that must notice."""

    invariant: Callable[[Taken], None]
    function: str
    wrong: Wrong
    history: str
    platform: PlatformName = "distributed"


def always(value: object) -> Wrong:
    """Return a function that always gives the same answer."""
    return lambda right: lambda *args, **kwargs: value


def twice(right: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that does everything twice."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        right(*args, **kwargs)
        return right(*args, **kwargs)

    return wrong


def and_then(more: Callable[..., object]) -> Wrong:
    """Return a function that also does something else, with the same arguments."""

    def mutated(right: Callable[..., Any]) -> Callable[..., Any]:
        def wrong(*args: Any, **kwargs: Any) -> Any:
            result = right(*args, **kwargs)
            more(*args)
            return result

        return wrong

    return mutated


def _place_elsewhere_too(step: Any, queue: Any, *_: Any) -> None:
    step.state.queues["R"].messages = queue.messages


def _lose_the_cursor(step: Any, request: Any) -> None:
    request.handle.cursor = None


def _mix_up_information(step: Any, request: Any, found: Any, info: Any) -> None:
    request.handle.removing = info


def _mark_for_everybody(step: Any, request: Any, message: Any) -> None:
    for handle in step.state.handles.values():
        handle.marked |= {message.position}


def _forget_other_marks(step: Any, request: Any, *_: Any) -> None:
    for handle in step.state.handles.values():
        if handle.key != request.handle.key:
            handle.marked = frozenset()


def _end_all_waits(step: Any, *_: Any) -> None:
    waiting = import_module("oracle.model.waiting.waiting")
    for connection in step.state.connections.values():
        if connection.waiting is not None:
            waiting._complete(step, connection, failure(MQRC.NO_MSG_AVAILABLE), ())  # noqa: SLF001 - a mutation


def _outside(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda step, message, feedback, put_by: right(step, message, feedback, None)


def _other_data(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda step, md, data, *rest, **kwargs: right(step, md, b"other", *rest, **kwargs)


MUTATIONS = (
    Mutation(invariants.every_message_is_in_one_place, "put.put:place", and_then(_place_elsewhere_too), "put h m1"),
    Mutation(
        invariants.depth_is_the_documented_count,
        "state:State.depth",
        lambda right: lambda self, queue: len(queue.messages),
        "put h m1; get h SYNCPOINT; inq h CurrentQDepth",
    ),
    Mutation(
        invariants.nothing_comes_back_after_its_time,
        "search.selection:has_expired",
        always(False),
        "put h m1 Expiry=10; advance 5s; get h",
    ),
    Mutation(
        invariants.a_lock_has_one_owner,
        "search.selection:unavailable_because",
        always(None),
        "put h m1; get h BROWSE_FIRST+LOCK; get g",
    ),
    Mutation(
        invariants.uncommitted_messages_stay_hidden,
        "search.selection:unavailable_because",
        always(None),
        "put h m1 NO_SYNCPOINT; get h SYNCPOINT; get g",
    ),
    Mutation(invariants.backout_restores, "units.units:_undo", always(None), "put h m1; get h SYNCPOINT; back"),
    Mutation(invariants.commit_is_final, "units.units:commit", always(None), "put h m1 SYNCPOINT; cmit"),
    Mutation(
        invariants.a_failed_call_changes_nothing,
        "get.get:after_empty_scan",
        and_then(_lose_the_cursor),
        "put h m1; get h BROWSE_NEXT; get h BROWSE_NEXT",
    ),
    Mutation(
        invariants.group_information_is_kept_apart,
        "get.get:after_browse",
        and_then(_mix_up_information),
        "put h m1 MsgFlags=MSG_IN_GROUP; get h BROWSE_NEXT+LOGICAL_ORDER MatchOptions=0",
    ),
    Mutation(
        invariants.logical_order_is_kept,
        "search.selection:table_2",
        lambda right: lambda logical_order, info, matching: right(False, info, matching),
        """put h a LOGICAL_ORDER MsgFlags=MSG_IN_GROUP; put h x Priority=9; put h b MsgFlags=LAST_MSG_IN_GROUP
        get h LOGICAL_ORDER MatchOptions=0; get g BROWSE_NEXT; put h y Priority=9; get h MatchOptions=0
        put h c MsgFlags=MSG_IN_GROUP Priority=9; get h LOGICAL_ORDER MatchOptions=0
        get h LOGICAL_ORDER MatchOptions=0""",
    ),
    Mutation(
        invariants.only_the_clock_ends_a_wait_empty_handed,
        "units.units:commit",
        and_then(_end_all_waits),
        "get h WAIT WaitInterval=-1; cmit B",
    ),
    Mutation(
        invariants_of_features.a_mark_is_made_by_its_owner,
        "browsing.browse:set_marks",
        and_then(_mark_for_everybody),
        "put h m1; get h BROWSE_FIRST+MARK_BROWSE_HANDLE",
    ),
    Mutation(
        invariants_of_features.a_mark_ends_only_for_a_reason,
        "get.get:after_browse",
        and_then(_forget_other_marks),
        "put h m1; get h BROWSE_FIRST+MARK_BROWSE_HANDLE; get g BROWSE_FIRST+MARK_BROWSE_HANDLE; get h BROWSE_FIRST",
    ),
    Mutation(
        invariants_of_features.a_removed_message_bears_no_mark,
        "get.get:clear_marks",
        lambda right: lambda step, queue, message: message,
        "put h m1; get h BROWSE_FIRST+MARK_BROWSE_CO_OP; get h SYNCPOINT",
    ),
    Mutation(
        invariants_of_features.a_co_op_mark_outlives_no_set,
        "objects.objects:end_marks_of",
        always(None),
        "put h m1; get h BROWSE_FIRST+MARK_BROWSE_CO_OP; close g; close h",
    ),
    Mutation(
        invariants_of_features.unmarked_browse_returns_no_marked_message,
        "search.selection:passed_over_as_marked",
        always(False),
        "put h m1; get h BROWSE_FIRST+MARK_BROWSE_HANDLE; get h BROWSE_FIRST+UNMARKED_BROWSE_MSG",
    ),
    Mutation(
        invariants_of_features.reports_are_made_once_if_asked,
        "put.put:report_if_asked",
        twice,
        "put h m1 Report=COA ReplyToQ=R",
    ),
    Mutation(
        invariants_of_features.reports_are_made_once_if_asked,
        "get.get:report_if_asked",
        always(None),
        "put h m1 Report=COD ReplyToQ=R; get h SYNCPOINT",
    ),
    Mutation(
        invariants_of_features.reports_are_made_once_if_asked,
        "reports.reports:asks_for",
        always(True),
        "put h m1 ReplyToQ=R",
    ),
    Mutation(
        invariants_of_features.reports_of_arrival_and_delivery_join_the_unit_of_work,
        "put.put:report_if_asked",
        _outside,
        "put h m1 SYNCPOINT Report=COA ReplyToQ=R",
    ),
    Mutation(
        invariants_of_features.triggers_need_their_conditions,
        "triggers.events:_is_ready",
        lambda right: lambda step, queue: queue.name == "T",
        "t = open T OUTPUT; put t m1",
    ),
    Mutation(
        invariants_of_features.dead_letters_conserve_the_message,
        "reports.reports:put_dead_letter",
        _other_data,
        "put h m1 Report=COA_WITH_FULL_DATA ReplyToQ=NOWHERE",
    ),
    Mutation(
        invariants_of_features.waits_end_once_and_not_late,
        "waiting.waiting:_interval_is_over",
        always(False),
        "get h WAIT WaitInterval=1000; advance 5s",
    ),
    Mutation(
        invariants_of_features.messages_are_accounted_for,
        "search.selection:has_expired",
        always(True),
        "put h m1; get h",
    ),
    Mutation(
        invariants_of_features.a_skipped_backout_keeps_the_message_got,
        "units.units:begin_with",
        always(None),
        "put h m1 NO_SYNCPOINT; get h SYNCPOINT+MARK_SKIP_BACKOUT; back",
        "zos",
    ),
)


def steps_of(mutation: Mutation) -> Iterator[Taken]:
    """Yield the steps of a mutation's history, the first allowed outcome each time."""
    state = new_state(
        [define(QueueDefinition, queue) for queue in QUEUES],
        define(QueueManagerDefinition, {"DeadLetterQName": "D"}),
        Profile(platform=mutation.platform),
    )
    bindings = Bindings()
    for identity, line in enumerate(with_connections(parse(OPENS + mutation.history)), start=1):
        call = bindings.call(line, identity)
        outcome = next(outcomes(state, call))
        bindings.bind(line, call, observed_of(outcome.reply))
        yield Taken(state, call, outcome)
        state = outcome.state


def hold(mutation: Mutation) -> None:
    """Assert the invariant at each step."""
    for taken in steps_of(mutation):
        mutation.invariant(taken)


IDS = [f"{mutation.invariant.__name__}-{mutation.function}" for mutation in MUTATIONS]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=IDS)
def test_a_wrong_model_breaks_the_invariant(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    hold(mutation)
    module, _, name = mutation.function.partition(":")
    owner: Any = import_module(f"oracle.model.{module}")
    *parents, name = name.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    monkeypatch.setattr(owner, name, mutation.wrong(getattr(owner, name)))
    with pytest.raises(AssertionError):
        hold(mutation)


def test_every_invariant_is_seen_to_fail() -> None:
    every = {*invariants.INVARIANTS, *invariants_of_features.INVARIANTS_OF_FEATURES}
    assert every == {mutation.invariant for mutation in MUTATIONS}
