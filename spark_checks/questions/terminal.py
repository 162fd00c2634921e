"""What the terminal shows of answers."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console

from oracle.event_log import Event
from spark_checks.questions.identifiers import shown_id
from spark_checks.questions.lives import Life, Step
from spark_checks.questions.trace import Trace
from spark_checks.reports.texts import counted
from spark_checks.times import duration, moment


def tell(console: Console, text: str = "", style: str | None = None) -> None:
    """Print a line as it is."""
    console.print(text, style=style, highlight=False, markup=False, soft_wrap=True)


def place(event: Event) -> str:
    """Return where a call stands in the input."""
    if event.source is None:
        return ""
    return event.source if event.line is None else f"{event.source}:{event.line}"


def show_hints(console: Console, hints: Iterable[str]) -> None:
    """Say what would have told more."""
    for number, hint in enumerate(hints):
        if not number:
            tell(console)
            tell(console, "What would have told more:", "bold")
        tell(console, f"  - {hint}")


def show_trace(found: Trace, console: Console) -> None:
    """Show the lives of messages."""
    if not found.lives:
        tell(console, f"{found.selection.told}: no call of the log shows such a message", "bold")
    for life in found.lives:
        _show_life(life, console)
    if found.left_out:
        tell(console, f"{counted(found.left_out, 'more message')} not shown: ask for less, as with --msg or --conn")
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
    """Return a line of a life as text: when, where and by whom; what became of it; its place in the input."""
    event = step.deed.event
    took = duration(event.end_us - event.start_us)
    queue = "" if event.queue is None else f" on {event.queue}"
    by = f"by {event.call} of connection {event.conn}, call {event.seq}"
    lines = [f"  {moment(event.start_us)} +{took}{queue}: {step.what}, {by}"]
    details = [step.then, step.unsure or ""]
    lines += [f"      {detail}" for detail in details if detail]
    where = place(event)
    return [*lines, *([f"      {where}"] if where else [])]
