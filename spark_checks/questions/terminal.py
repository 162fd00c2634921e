"""The display of answers on the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console

from oracle.histories.event_log import Event
from oracle.mqi.constants import MQCC, MQWI
from spark_checks.questions.holdings import Owners, Unit
from spark_checks.questions.identifiers import shown_id
from spark_checks.questions.lives import Life, Step
from spark_checks.questions.outcomes import outcome
from spark_checks.questions.suits import Judged
from spark_checks.questions.trace import Trace
from spark_checks.questions.why import Answer, headline, title_of
from spark_checks.reports.texts import counted
from spark_checks.times import duration, moment


def tell(console: Console, text: str = "", style: str | None = None) -> None:
    """Print a line verbatim."""
    console.print(text, style=style, highlight=False, markup=False, soft_wrap=True)


def place(event: Event) -> str:
    """Return a call's place in the input."""
    if event.source is None:
        return ""
    return event.source if event.line is None else f"{event.source}:{event.line}"


def show_hints(console: Console, hints: Iterable[str]) -> None:
    """Show what the log lacks, and how to capture it."""
    for number, hint in enumerate(hints):
        if not number:
            tell(console)
            tell(console, "To learn more:", "bold")
        tell(console, f"  - {hint}")


def show_trace(found: Trace, console: Console) -> None:
    """Show the lives of messages."""
    if not found.lives:
        tell(console, f"{found.selection.text}: no call of the log shows such a message", "bold")
    for life in found.lives:
        _show_life(life, console)
    if found.left_out:
        tell(console, f"{counted(found.left_out, 'more message')} not shown: narrow it down, as with --msg or --conn")
    show_hints(console, found.hints)


def _show_life(life: Life, console: Console) -> None:
    tell(console, f"Message {shown_id(life.msg_id)}", "bold")
    tell(console, f"  {life.relation}", "dim")
    for step in life.steps:
        for line in lines_of(step):
            tell(console, line)
    for each in life.now:
        tell(console, f"  => {each.sentence}{'' if each.sure else ' (as far as the log shows)'}", "bold cyan")
    tell(console)


def lines_of(step: Step) -> list[str]:
    """Return a line of a life as text: when, where and by whom; the consequence; its place in the input."""
    event = step.deed.event
    took = duration(event.end_us - event.start_us)
    queue = "" if event.queue is None else f" on {event.queue}"
    by = f"by {event.call} of connection {event.conn}, call {event.seq}"
    lines = [f"  {moment(event.start_us)} +{took}{queue}: {step.what}, {by}"]
    details = [step.then, step.unsure or ""]
    lines += [f"      {detail}" for detail in details if detail]
    where = place(event)
    return [*lines, *([f"      {where}"] if where else [])]


_NO_MORE = "the log does not show what decided it"
_OF_A_KIND = 3
"""The number of messages shown that did not suit for the same cause."""


def show_why(answer: Answer, console: Console, *, every: bool = False) -> None:
    """Show why a call ended as it did."""
    tell(console, headline(answer.event), "bold")
    where = place(answer.event)
    if where:
        tell(console, f"  {where}", "dim")
    for point in answer.points:
        tell(console, f"  - {point.sentence}{_cited(point.rules)}")
    if not (answer.points or answer.messages or answer.model):
        succeeded = answer.event.comp_code == MQCC.OK
        tell(console, f"  - {'the call succeeded: there is nothing to explain' if succeeded else _NO_MORE}")
    if answer.messages:
        tell(console)
        tell(console, "Messages on the queue that it did not return, in its order:", "bold")
        counts: dict[str, int] = {}
        for each in answer.messages:
            kind = each.causes[0].kind if each.causes else "suited"
            counts[kind] = counts.get(kind, 0) + 1
            if every or counts[kind] <= _OF_A_KIND:
                _show_message(each, console)
        if not every:
            for kind, number in counts.items():
                if number > _OF_A_KIND:
                    tell(console, f"  and {number - _OF_A_KIND:,} more: {kind} (--all shows them)")
    _show_around(answer, console)
    for assumed in answer.assumed:
        tell(console, f"  {assumed}", "dim")
    if answer.model is not None:
        tell(console)
        tell(console, f"{answer.model.sentence}{_cited(answer.model.rules)}")
    show_hints(console, answer.hints)


def _show_around(answer: Answer, console: Console) -> None:
    stock = answer.stock
    if stock is None:
        return
    if stock.expired:
        had = "message that had expired" if stock.expired == 1 else "messages that had expired"
        tell(
            console,
            f"  and {stock.expired:,} {had}: nobody had got them, and no call returns them [{title_of('EXP-09')}]",
        )
    if stock.left_out:
        tell(
            console,
            f"  {counted(stock.left_out, 'message')} more may have been there: only the last ones were looked at",
        )
    for event in stock.gone[-1:]:
        tell(
            console,
            f"  last taken before: message {event.msg_id}, by connection {event.conn} at {moment(event.end_us)}",
        )
    if stock.next is not None:
        after = duration(max(0, stock.next.start_us - answer.event.end_us))
        put = f"by connection {stock.next.conn}, {after} after the call"
        tell(console, f"  next to come: message {stock.next.msg_id}, {put}")


def _show_message(each: Judged, console: Console) -> None:
    put = each.held.put
    by = "put before the log began, or by a call that it lacks"
    if put is not None:
        by = f"put by {put.event.conn} at {moment(put.lo, day=False)}"
    tell(console, f"  message {shown_id(each.held.msg_id)}, {by}")
    for cause in each.causes:
        tell(console, f"      {cause.sentence}{_cited(cause.rules)}")
    if not each.causes:
        tell(console, "      it suited, as far as the log shows", "yellow")
    for doubt in each.doubts:
        tell(console, f"      but {doubt}", "dim")


def _cited(rules: Iterable[str]) -> str:
    titles = "; ".join(title_of(rule) for rule in dict.fromkeys(rules))
    return f" [{titles}]" if titles else ""


def show_owners(found: Owners, console: Console) -> None:
    """Show who holds what, and who used which queue."""
    tell(console, f"At {moment(found.at_us)}:", "bold")
    for unit in found.units:
        tell(console, f"  unit of work of connection {unit.conn}, open {_age(unit.since_us, found)}: {_of_unit(unit)}")
    for lock in found.locks:
        line = f"message {shown_id(lock.msg_id)} on {lock.queue}, {_age(lock.since_us, found)}"
        tell(console, f"  lock of connection {lock.conn}: {line}")
    for handle in found.exclusives:
        refused = f"; {counted(handle.refused, 'MQOPEN was', 'MQOPENs were')} refused for it" if handle.refused else ""
        line = f"open {_age(handle.since_us, found)}{refused}"
        tell(console, f"  exclusive handle of connection {handle.conn} on {handle.queue}, {line}")
    for wait in found.waits:
        limited = "not captured" if wait.wait_ms is None else f"{wait.wait_ms:,} ms"
        limit = "unlimited" if wait.wait_ms == MQWI.UNLIMITED else limited
        line = f"{_age(wait.since_us, found)}, WaitInterval {limit}"
        tell(console, f"  get of connection {wait.conn}, call {wait.seq}, waits on {wait.queue} {line}")
    if not (found.units or found.locks or found.exclusives or found.waits):
        tell(console, "  nothing is held, as far as the log shows")
    tell(console)
    tell(console, "Who used which queue:", "bold")
    for use in found.uses:
        undone = f" ({use.backed_out:,} backed out)" if use.backed_out else ""
        line = f"{use.puts:,} put, {use.gets:,} got{undone}, {use.browses:,} browsed, {use.empty:,} gets found nothing"
        tell(console, f"  {use.queue or 'not captured'}: {use.conn}: {line}, last at {moment(use.last_us)}")
    for each in found.twice:
        tell(console)
        tell(console, f"Put twice on {each.queue}, perhaps because the connection broke in between:", "bold yellow")
        for event in dict.fromkeys(filter(None, (each.first, each.broken, each.second))):
            line = f"{event.call} of connection {event.conn}, call {event.seq}, {moment(event.start_us)}"
            tell(console, f"  {line}: message {event.msg_id}, {outcome(event)} {place(event)}")
    show_hints(console, found.hints)


def _age(since_us: int, found: Owners) -> str:
    return f"since {moment(since_us)} ({duration(max(0, found.at_us - since_us))})"


def _of_unit(unit: Unit) -> str:
    held = []
    if unit.puts:
        held.append(f"{counted(unit.puts, 'message')} put that nobody else sees")
    if unit.gets:
        held.append(f"{counted(unit.gets, 'message')} got that may come back")
    line = f"{' and '.join(held)}, on {unit.queue or 'a queue that was not captured'}"
    if unit.empty_gets:
        line += f"; {counted(unit.empty_gets, 'get')} of others found nothing there since"
    return line
