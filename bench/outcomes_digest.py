"""A digest of the outcomes that the model allows: versions with the same digest give the same answers and rules.

    python -m bench.outcomes_digest [--histories N] [--each FILE]

It covers every rule example, every scenario on each of its platforms, and random histories of a fixed seed. For each
call it includes every allowed outcome: reply, state, rules in their order, choices, completions and generated values,
and the result of following the reply. `--each` writes a line for each history, for `diff` to compare two versions.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

from bench.random_histories import Drawn, draw
from conformance.checks.scenarios import scenarios
from oracle.errors import MqOracleError
from oracle.examples.rule_examples import examples
from oracle.histories.history import Bindings, observed_of, with_connections
from oracle.histories.notation import Line, parse
from oracle.judging.follow import Followed, Follower
from oracle.model.messages.messages import Messages
from oracle.model.queue_manager import outcomes
from oracle.model.step import Outcome
from oracle.mqi.calls import Call
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition
from oracle.mqi.profile import PlatformName
from oracle.mqi.structures import Structure
from oracle.protocol import ObservedReply
from oracle.protocol.setup import state_of_setup
from oracle.replay.history import replay_history

SEED: Final = 31
HISTORIES: Final = 10_000

MOST_OUTCOMES: Final = 200
"""The number of outcomes of a call above which a random history ends: what follows takes long and adds little."""


def text_of(value: object) -> str:
    """Return a value of the model as text that depends only on its meaning, and not on how the value is stored.

    The entries of mappings and sets are sorted, unless all values of a mapping are None: its order
    counts.
    """
    if isinstance(value, Structure | QueueDefinition | QueueManagerDefinition):
        return _text_once(value)
    if isinstance(value, Messages):
        return _listed("Messages", map(text_of, value))
    if is_dataclass(value):
        return _listed(type(value).__name__, (f"{name}={text_of(getattr(value, name))}" for name in _members(value)))
    return _text_of_collection(value)


def _text_of_collection(value: object) -> str:
    if isinstance(value, Mapping):
        entries = [f"{text_of(key)}: {text_of(each)}" for key, each in value.items()]
        return _listed("", entries if all(each is None for each in value.values()) else sorted(entries))
    if isinstance(value, frozenset | set):
        return _listed("", sorted(map(text_of, value)))
    if isinstance(value, tuple | list):
        return _listed("", map(text_of, value))
    return repr(value)


def _members(value: object) -> Iterable[str]:
    return getattr(value, "__dataclass_fields__", {})


@cache
def _text_once(value: Structure | QueueDefinition | QueueManagerDefinition) -> str:
    return repr(value)


def _listed(name: str, parts: Iterable[str]) -> str:
    return f"{name}({', '.join(parts)})"


def digest_of_step(allowed: Iterable[Outcome], followed: Followed | None) -> Iterator[str]:
    """Yield the text of a call's outcomes, and of the result of following the reply."""
    yield from map(text_of, allowed)
    if followed is not None:
        departure = followed.departure
        yield text_of((followed.rules, sorted(followed.outputs)))
        yield text_of(() if departure is None else (departure.rules, departure.before))


def of_notation(setup: Mapping[str, Any], platform: PlatformName, text: str) -> Iterator[str]:
    """Yield the texts of a history whose lines state the observed outcomes."""
    try:
        for step in replay_history(text, "history", state_of_setup(setup, platform)):
            yield from digest_of_step(step.followed.allowed, step.followed)
    except MqOracleError as error:
        yield str(error)


def of_random(drawn: Drawn) -> Iterator[str]:
    """Yield the texts of a random history: of each call's outcomes one is taken at random, and followed."""
    random = Random(drawn.text)
    follower, bindings = Follower(state_of_setup(drawn.setup, drawn.platform)), Bindings()
    for identity, line in enumerate(with_connections(parse(drawn.text, "history")), start=1):
        try:
            call = bindings.call(line, identity)
            if any(waiting.conn == getattr(call, "conn", None) for waiting in follower.waiting.values()):
                continue
            yield from _of_random_call(random, follower, bindings, line, call)
        except MqOracleError as error:
            yield f"{type(error).__name__}: {error}"
        if len(follower.states) > MOST_OUTCOMES:
            return


def _of_random_call(random: Random, follower: Follower, bindings: Bindings, line: Line, call: Call) -> Iterator[str]:
    possible = []
    for outcome in outcomes(follower.states[0], call):
        possible.append(outcome)
        if len(possible) == MOST_OUTCOMES:
            break
    taken = random.choice(possible)
    seen = _seen(taken)
    followed = follower.follow(call, seen)
    yield from digest_of_step(followed.allowed, followed)
    bindings.bind(line, call, seen)


def _seen(outcome: Outcome) -> ObservedReply:
    seen = observed_of(outcome.reply, {done.identity: done.reply for done in outcome.completed})
    return replace(seen, posted={each.identity: each.code for each in outcome.posted})


@dataclass(frozen=True)
class Part:
    """One history of the digest: its name, and the generator of its texts."""

    name: str
    texts: Callable[[], Iterator[str]]


def parts(histories: int) -> Iterator[Part]:
    """Yield every history of the digest."""
    for example in examples():
        setup = {"queues": list(example.queues), "qmgr": example.qmgr}
        for last in (example.accepts, example.rejects):
            text = f"{example.given.strip()}\n{last}"
            yield Part(example.rule, lambda s=setup, p=example.platform, t=text: of_notation(s, p, t))  # type: ignore[misc]  # bound now
    for scenario in scenarios():
        setup = {"queues": list(scenario.queues), "qmgr": scenario.qmgr}
        for platform in scenario.platforms:
            yield Part(
                f"{scenario.id} on {platform}",
                lambda s=setup, p=platform, t=scenario.steps: of_notation(s, p, t),  # type: ignore[misc]  # bound now
            )
    random = Random(SEED)
    for number in range(histories):
        drawn = draw(random)
        yield Part(f"random {number}", lambda d=drawn: of_random(d))  # type: ignore[misc]  # bound now


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--histories", type=int, default=HISTORIES, help="how many random histories")
    parser.add_argument("--each", type=Path, help="a file for the digest of each history")
    arguments = parser.parse_args()
    whole, count, lines = hashlib.sha256(), 0, []
    for part in parts(arguments.histories):
        own = hashlib.sha256()
        for text in part.texts():
            own.update(text.encode())
            own.update(b"\n")
            count += 1
        whole.update(own.digest())
        lines.append(f"{own.hexdigest()[:16]} {part.name}\n")
    if arguments.each is not None:
        arguments.each.write_text("".join(lines), encoding="utf-8")
    sys.stdout.write(f"{whole.hexdigest()}  {len(lines)} histories, {count} texts\n")


if __name__ == "__main__":
    main()
