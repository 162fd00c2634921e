"""A replay as text to read and as JSON: each call with what was allowed, what was observed and the rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from oracle.judging.explain import summary
from oracle.replay.describe import describe_reply
from oracle.replay.steps import Replayed


def lines_of(step: Replayed, *, verbose: bool) -> Iterator[str]:
    """Yield the lines about one call; `verbose` lists every allowed outcome with its rules."""
    yield f"{step.place}  {step.text}"
    if verbose:
        for outcome in step.followed.allowed:
            yield f"    allowed   {summary(outcome, step.names)}  [{', '.join(outcome.rules)}]"
    else:
        first, *others = allowed_of(step)
        more = f" (or {len(others)} more)" if others else ""
        yield f"    allowed   {first}{more}"
    yield f"    observed  {describe_reply(step.observed, step.names)}"
    if step.followed.departure is None:
        if step.followed.rules:
            yield f"    rules     {', '.join(step.followed.rules)}"
        return
    yield f"    VIOLATES  {step.followed.departure.sentence}"
    yield f"    rules     {', '.join(step.followed.departure.rules)}"
    if step.followed.departure.before:
        yield f"    or those of an earlier call: {', '.join(step.followed.departure.before)}"


def allowed_of(step: Replayed) -> list[str]:
    """Return the distinct allowed outcomes, a line each, the most plainly documented one first."""
    return list(dict.fromkeys(summary(outcome, step.names) for outcome in step.followed.allowed))


def members_of(step: Replayed) -> dict[str, Any]:
    """Return the step of one call as an object for JSON."""
    departure = step.followed.departure
    members: dict[str, Any] = {
        "source": step.place.source,
        "line": step.place.line,
        "call": step.text,
        "allowed": [
            {"outcome": summary(outcome, step.names), "rules": list(outcome.rules)} for outcome in step.followed.allowed
        ],
        "observed": describe_reply(step.observed, step.names),
        "rules": list(step.followed.rules if departure is None else departure.rules),
    }
    if departure is not None:
        members["departure"] = {
            "sentence": departure.sentence,
            "rules_before": list(departure.before),
            "differences": [str(difference) for difference in departure.differences],
        }
    return members
