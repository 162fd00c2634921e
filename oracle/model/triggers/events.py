"""Trigger events: when the queue manager makes a trigger message for a queue.

IBM describes them under "Conditions for a trigger event". An arrival is one (TRI-02 to TRI-04, TRI-12), and so are
several changes after which waiting messages need a server (TRI-08 to TRI-10, TRI-13, TRI-15).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from oracle.errors import NotModelledError
from oracle.model.connections import Connection
from oracle.model.handles import Handle
from oracle.model.limits.depth import current_depth
from oracle.model.messages.messages import Message
from oracle.model.reports.discards import settle_depth, settle_reports
from oracle.model.state import Queue, State
from oracle.model.step import Arrival, Step
from oracle.model.triggers.messages import put_trigger_message
from oracle.model.units.units import unit_of_work
from oracle.mqi.definitions import QueueDefinition

_FIRST, _EVERY, _DEPTH = 1, 2, 3

CLOSED: Final = "TRI-08"
CHANGED: Final = "TRI-09"
MONITORED: Final = "TRI-10"
INITIATION_QUEUE_FREED: Final = "TRI-13"
GETS_ALLOWED: Final = "TRI-15"

_AFTER_ANOTHER_CHANGE: Final = "is there a trigger message after another change than those of the conditions"

_MOST_ROUNDS: Final = 100
"""The number of times in a row that trigger messages may be trigger events themselves."""

_ATTRIBUTES: Final = ("trigger_control", "trigger_type", "trigger_msg_priority", "trigger_depth")
"""A change of one of these is a trigger event if enough messages wait (TRI-09)."""


def stir_by_open(step: Step, queue: str, *, alone: bool) -> None:
    """Note that a queue, which may be an initiation queue, has been opened for input.

    `alone`: it was not open before.
    """
    for name in _triggering_through(step.state, queue):
        step.stir(name, *((MONITORED,) if alone else ()))


def stir_by_change(step: Step, queue: Queue, before: QueueDefinition) -> None:
    """Note that attributes of a queue have changed: its own triggering, or that of queues that it announces."""
    now = queue.definition
    rules = [CHANGED] if any(getattr(now, name) != getattr(before, name) for name in _ATTRIBUTES) else []
    if step.state.profile.zos and before.inhibit_get and not now.inhibit_get:
        rules.append(GETS_ALLOWED)
    step.stir(queue.name, *rules)
    if (before.inhibit_put and not now.inhibit_put) or (before.inhibit_get and not now.inhibit_get):
        for name in _triggering_through(step.state, queue.name):
            step.stir(name, INITIATION_QUEUE_FREED)


def catch_up(step: Step, queue: str, *, only_triggers: bool = False) -> None:
    """Decide which reports have come to a queue unseen, and let them trigger, before a call changes what they meet.

    These are the openers of the queue or of its initiation queue, and its attributes; with `only_triggers`, only what
    affects triggering.
    """
    for name in (queue, *_triggering_through(step.state, queue)):
        there = step.state.queues.get(name)
        if there is None or not (there.definition.trigger_control or (name == queue and not only_triggers)):
            continue
        if settle_reports(step, name):
            fire_triggers(step)


def _triggering_through(state: State, initiation_queue: str) -> Iterator[str]:
    return (name for name, queue in state.queues.items() if queue.definition.initiation_q_name == initiation_queue)


def fire_triggers(step: Step) -> None:
    """Put the trigger messages that this step causes, and those that the end of a unit of work makes available."""
    rounds = 0
    while step.arrived or step.stirred or step.due:
        rounds += 1
        if rounds > _MOST_ROUNDS:
            raise NotModelledError("initiation queues whose trigger messages trigger one another are not modelled")
        due, step.due = step.due, []
        for definition in due:
            step.because("TRI-11")
            put_trigger_message(step, definition)
        arrived, step.arrived = step.arrived, []
        stirred, step.stirred = step.stirred, {}
        names = _in_order(step, list(dict.fromkeys([*[each.queue for each in arrived], *stirred])))
        for number, name in enumerate(names, start=1):
            queue = step.state.queues.get(name)
            if queue is None or not queue.definition.trigger_control:
                continue
            step.because("TRI-01")
            if _is_ready(step, queue):
                new = [each for each in arrived if each.queue == name and _is_high_enough(step, queue, each.message)]
                _fire(step, queue, new, stirred.get(name))
                if _goes_on_at_once(step, names[number:]):
                    fire_triggers(step)


def fire_before_backout(step: Step, conn: str) -> None:
    """Perhaps put the trigger messages for the closes of a dead application before its unit of work is backed out.

    Its handles close first. What waits then may lack the messages that it has got, and have those that it has put
    (AMB-105).
    """
    closed = [name for name, rules in step.stirred.items() if CLOSED in rules and _has_triggering(step.state, name)]
    messages = [message for name in closed for message in step.state.queues[name].messages]
    if not any(conn in (message.got_by, message.put_by) for message in messages):
        return
    if step.choose("does the close of a dead application trigger before its backout", (False, True), CLOSED):
        fire_triggers(step)


def fire_closes_first(step: Step, connection: Connection) -> None:
    """Perhaps put the trigger messages for the closes of an MQDISC before those of the commit that follows.

    The handles close first; the unit of work may have trigger messages that become available only with its end.
    """
    work = connection.unit_of_work
    closed = any(CLOSED in rules and _has_triggering(step.state, name) for name, rules in step.stirred.items())
    if not closed or work is None or not work.triggered:
        return
    if step.choose("does a close at MQDISC trigger before the commit", (False, True), CLOSED):
        fire_triggers(step)


def announces_for(state: State, handle: Handle, others: Iterable[Handle]) -> bool:
    """Return whether a handle has an initiation queue open for input of a queue that others have open for input."""
    served = (other.queue for other in others if other.open_for_input and other.queue != handle.queue)
    return handle.open_for_input and any(
        _has_triggering(state, name) and state.queues[name].definition.initiation_q_name == handle.queue
        for name in served
    )


def _in_order(step: Step, names: list[str]) -> Sequence[str]:
    """Return queues in the order in which they are announced: one call can be an event for several (AMB-97)."""
    reached = [each for name in names for each in _announces_on(step.state, name)]
    if len(set(reached)) == len(reached):
        return names
    return step.choose("in which order are queues announced", (names, names[::-1]), "TRI-01")


def _announces_on(state: State, name: str) -> set[str]:
    """Return the initiation queues on which a message of a queue causes trigger messages, by one another too."""
    found: set[str] = set()
    while _has_triggering(state, name) and (name := state.queues[name].definition.initiation_q_name) not in found:
        found.add(name)
    return found


def _goes_on_at_once(step: Step, others: Sequence[str]) -> bool:
    """Return whether what a trigger message triggers in its turn is made before those of the other queues (AMB-97)."""
    if not any(_has_triggering(step.state, name) for name in others):
        return False
    if not any(_has_triggering(step.state, each.queue) for each in step.arrived):
        return False
    return step.choose("does a trigger message trigger before the others are made", (False, True), "TRI-01")


def _has_triggering(state: State, name: str) -> bool:
    return name in state.queues and bool(state.queues[name].definition.trigger_control)


def _is_ready(step: Step, queue: Queue) -> bool:
    """Return whether the conditions hold that do not depend on messages (TRI-01, TRI-13 to TRI-15)."""
    definition = queue.definition
    if definition.trigger_type not in (_FIRST, _EVERY, _DEPTH) or not _is_monitored(step, definition):
        return False
    served = any(handle.open_for_input for handle in step.state.handles_of(queue.name))
    if served and definition.trigger_type != _EVERY:
        return False
    if step.state.profile.zos and definition.inhibit_get:
        step.because(GETS_ALLOWED)
        return False
    return True


def _is_monitored(step: Step, definition: QueueDefinition) -> bool:
    """Return whether the initiation queue is open for input and takes and gives messages (TRI-01, TRI-13)."""
    state, name = step.state, definition.initiation_q_name
    if not any(handle.open_for_input for handle in state.handles_of(name)):
        return False
    initiation_queue = state.queues[name]
    if initiation_queue.definition.inhibit_put or initiation_queue.definition.inhibit_get:
        step.because(INITIATION_QUEUE_FREED)
        return False
    return not initiation_queue.is_transmission_queue


def _fire(step: Step, queue: Queue, new: list[Arrival], stirred: tuple[str, ...] | None) -> None:
    """Make the trigger messages of one queue: `new` messages have arrived.

    `stirred` is None unless something else has happened that may trigger; then it has the rules by which it must.
    """
    if queue.definition.trigger_type == _EVERY:
        _fire_for_every(step, queue, new, stirred)
        return
    if queue.definition.trigger_type == _DEPTH:
        current_depth(step, queue)
    else:
        settle_depth(step, queue)
    counted, arrived = _counted(step, queue, new)
    because = _why(step, queue, counted, arrived, stirred)
    if not because or not _has_process(step, queue):
        return
    step.because(*because, "TRI-05")
    putter = arrived[0].message.put_by if arrived and not stirred else None
    if putter is not None and all(each.message.put_by == putter for each in arrived):
        _in_unit_of_work(step, queue, putter)
    else:
        put_trigger_message(step, queue.definition, _since(new))
    queue.triggered_ms = step.state.now_ms
    if queue.definition.trigger_type == _DEPTH:
        queue.definition = queue.definition.model_copy(update={"trigger_control": 0})


def _fire_for_every(step: Step, queue: Queue, new: list[Arrival], stirred: tuple[str, ...] | None) -> None:
    """Make a trigger message for each message that has become available (TRI-03), or for those that wait already."""
    inside = [each for each in new if not each.available]
    committed = sum(each.by_commit for each in new)
    count = sum(each.available for each in new)
    if (inside or committed) and _triggers_at_put(step):
        count -= committed
        _with_its_commit(step, queue, inside)
    step.because("TRI-03", "TRI-05")
    if not count and stirred is not None:
        count = _for_those_that_wait(step, queue, stirred)
    if count and _has_process(step, queue):
        for _ in range(count):
            put_trigger_message(step, queue.definition, _since(new))
        queue.triggered_ms = step.state.now_ms


def _for_those_that_wait(step: Step, queue: Queue, stirred: tuple[str, ...]) -> int:
    """Return how many trigger messages of type every there are after a change that lets waiting messages be served.

    The close of their server is no such change for this type (TRI-08). Messages of open units of work may count
    (AMB-100).
    """
    rules = tuple(rule for rule in stirred if rule != CLOSED)
    if _waiting(step, queue, uncommitted=False):
        if rules:
            return step.choose("is there one of type every for what waits already", (1, 0), *rules)
        return step.choose(_AFTER_ANOTHER_CHANGE, (0, 1), "TRI-01")
    if not _waiting(step, queue, uncommitted=True):
        return 0
    if not rules:
        return int(step.choose(_AFTER_ANOTHER_CHANGE, (0, 1), "TRI-01") and _counts_uncommitted(step, queue))
    if _counts_uncommitted(step, queue):
        return step.choose("is there one of type every for uncommitted messages that wait", (0, 1), *rules)
    return 0


def _triggers_at_put(step: Step) -> bool:
    """Return whether a put in a unit of work is itself the event, and not its commit; it is always one of them."""
    return step.choose_for_good("is the put the event of type every in a unit of work", (False, True), "TRI-03")


def _with_its_commit(step: Step, queue: Queue, inside: Sequence[Arrival]) -> None:
    """Keep a trigger message for each message of an open unit of work, as the queue is defined now (AMB-89)."""
    if not inside or not _has_process(step, queue):
        return
    at_once = _puts_at_event(step)
    for each in inside:
        if each.message.put_by is not None and at_once:
            put_trigger_message(step, queue.definition, put_by=each.message.put_by)
        elif each.message.put_by is not None:
            unit_of_work(step, each.message.put_by).triggered_by_each += (queue.definition,)
    queue.triggered_ms = step.state.now_ms


def _since(new: Sequence[Arrival]) -> int | None:
    """Return the time since which new messages may have arrived, if one of them came unseen."""
    moments = [each.message.made.since_ms for each in new if each.message.made is not None]
    return min((moment for moment in moments if moment is not None), default=None)


def _counted(step: Step, queue: Queue, new: list[Arrival]) -> tuple[list[Message], list[Arrival]]:
    """Return the messages that count, and the new ones that count now (TRI-05)."""
    every, committed = _waiting(step, queue, uncommitted=True), _waiting(step, queue, uncommitted=False)
    outside = [each for each in new if each.available and not each.by_commit]
    if len(every) > len(committed) or len(new) > len(outside):
        if _counts_uncommitted(step, queue):
            return every, [each for each in new if not each.by_commit]
        return committed, [each for each in new if each.available]
    return committed, outside


def _counts_uncommitted(step: Step, queue: Queue) -> bool:
    """Return whether uncommitted messages count.

    A queue manager counts them always or never, and never on shared queues.
    """
    if step.state.profile.zos and queue.definition.qsg_disposition == "SHARED":
        return False
    return step.choose_for_good("do uncommitted messages count for triggering", (True, False), "TRI-05")


def _waiting(step: Step, queue: Queue, *, uncommitted: bool) -> list[Message]:
    """Return the messages of enough priority, with or without those of open units of work."""
    return [
        message
        for message in queue.messages
        if _is_high_enough(step, queue, message) and message.got_by is None and (uncommitted or message.put_by is None)
    ]


def _is_high_enough(step: Step, queue: Queue, message: Message) -> bool:
    """Return whether a message has TriggerMsgPriority: by its field, or on a FIFO queue by its place (AMB-103)."""
    least = queue.definition.trigger_msg_priority
    plainly, by_place = message.descriptor.priority >= least, message.rank >= least
    if plainly == by_place or "PRI-05" not in message.notes.behind.get("MQMD.Priority", ()):
        return plainly
    counts = step.choose_for_good(
        "does the priority by which a FIFO queue places a message count for triggering", (False, True), "PRI-05"
    )
    return by_place if counts else plainly


def _why(
    step: Step, queue: Queue, counted: Sequence[Message], arrived: Sequence[Arrival], stirred: tuple[str, ...] | None
) -> tuple[str, ...]:
    """Return the rules for a trigger message of type first or depth; none if there is none."""
    depth = queue.definition.trigger_type == _DEPTH
    rule = "TRI-04" if depth else "TRI-02"
    enough = len(counted) >= (queue.definition.trigger_depth if depth else 1)
    if not enough:
        step.because(rule, "TRI-05", *(stirred or ()))
        return ()
    if arrived and (depth or len(counted) == len(arrived)):
        return (rule,)
    if stirred:
        return (rule, *stirred)
    if arrived:
        step.because(rule, "TRI-05")
        return (rule, "TRI-12") if _interval_is_over(step, queue) else ()
    if stirred is None:
        return ()
    return (rule,) if step.choose(_AFTER_ANOTHER_CHANGE, (0, 1), rule, "TRI-01") else ()


def _interval_is_over(step: Step, queue: Queue) -> bool:
    """Return whether enough time has passed since the last trigger message for an arrival to make another (TRI-12)."""
    if queue.triggered_ms is None:
        return False
    return step.state.now_ms - queue.triggered_ms >= step.state.definition.trigger_interval


def _has_process(step: Step, queue: Queue) -> bool:
    """Return whether a process is named that a trigger monitor could start.

    A transmission queue needs none (TRI-14).
    """
    if queue.definition.process_name or queue.is_transmission_queue:
        return True
    return step.choose("is a trigger message made although no process is named", (False, True), "TRI-14")


def _in_unit_of_work(step: Step, queue: Queue, putter: str) -> None:
    """Keep the trigger message until the unit of work of the put that was the event ends (TRI-11)."""
    step.because("TRI-11")
    work, name = unit_of_work(step, putter), queue.definition.initiation_q_name
    if not _puts_at_event(step):
        work.triggered += (queue.definition,)
    elif (position := put_trigger_message(step, queue.definition, put_by=putter)) is not None:
        work.announced |= {(name, position)}


def _puts_at_event(step: Step) -> bool:
    """Return whether a trigger message of a unit of work is put with its event, and not when that ends (AMB-112)."""
    return step.choose_for_good("is a trigger message put in the unit of work of its event", (False, True), "TRI-11")
