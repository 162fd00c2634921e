"""Writer of `circumstances/chosen.yaml`: histories under circumstances that detect mutants missed by all other checks.

    python -m bench.circumstances --mutants 4000 --seed 1   # 40 minutes on two cores; the file is written anew
    python -m bench.circumstances --mutants 2000 --seed 3 --add   # what is chosen stays, and more is added
    python -m bench.circumstances --mutants 500 --seed 2 --measure   # only tells how many are noticed

A mutant of the model (`bench.mutants`) that is always wrong is noticed by nearly every check that reaches it. So each
mutant here is wrong only at some moments (`bench.moments`): commit forgets the puts, but only while something waits.
This models the interaction of two features. Mutants and conditions are drawn at random. Each pair is tried with the
scenarios, examples and tables of the quick budget, and then with random histories under circumstances. A mutant is
noticed if a reply is not one that the model allows. The fewest histories are chosen that notice all mutants which only
such histories noticed.
"""

from __future__ import annotations

import json
import pickle
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, repeat
from multiprocessing import get_context
from pathlib import Path
from random import Random
from types import CodeType
from typing import Any, Final

import click

from bench.moments import CONDITIONS, Moment, conditions_at
from bench.mutants import MODEL, Mutant, judged, limited, mutants
from conformance.checks.circumstances import CIRCUMSTANCES
from conformance.checks.generated import circumstances
from conformance.checks.rig import Rig
from conformance.checks.selection import all_checks
from conformance.sensitivity.called import calls_noted
from conformance.sensitivity.miniatures import Exchanges, sessions_of
from conformance.sensitivity.patches import Patch
from conformance.sessions.dialogue import Dialogue
from conformance.sessions.session import Session
from conformance.targets import InProcessTarget
from oracle.errors import MqOracleError
from oracle.model.queue_manager import outcomes
from oracle.mqi.profile import PLATFORMS
from oracle.protocol import format_reply, parse_call
from oracle.serve import Server
from oracle.text.yaml_files import write_yaml

CHOSEN: Final = Path(circumstances.__file__).parents[1] / "circumstances" / "chosen.yaml"
HEAD: Final = """\
# What the quick budget plays under circumstances: for each of them, or two with a plus between, ids of histories.
# `python -m bench.circumstances` writes it. Each shows something wrong that no check outside this file notices.
# Those of siblings, others-alike and both-queues were chosen by hand; `--add` leaves them.
"""
BY_THE_SUITE, BY_CHOSEN, BY_OTHERS = "by the suite", "by what is chosen", "by other histories under circumstances alone"
PLATFORM: Final = PLATFORMS[0]
_MODEL: Final = str(MODEL)
SECONDS: Final = 3.0
"""The processor time that a request may take under a mutant; a slower one may hang, and proves nothing."""
LONGEST: Final = 120
"""The greatest number of requests of a session that is chosen."""
MOST_TRIES: Final = 200
"""The number of sessions under circumstances that a mutant is tried with."""
MOST_HITS: Final = 6
"""The number of sessions that notice it after which no more are tried."""
MOST_LOOKED_AT: Final = 40
"""The number of allowed outcomes that are compared with a reply."""


Key = tuple[tuple[str, ...], str]
"""The key of a history under circumstances: their names, and the id of the history."""


@dataclass(frozen=True)
class Talk:
    """A session with the unchanged model."""

    names: tuple[str, ...]
    """The circumstances; empty for a session of another check."""
    source: str
    """The id of the check, or of the history."""
    packed: bytes
    """The dialogue, compressed."""
    conditions: tuple[frozenset[str], ...]
    """The conditions that were met at each request."""
    ran: tuple[frozenset[CodeType], ...]
    """The code of the model that each request ran."""

    @property
    def key(self) -> Key:
        """The key that distinguishes it from other sessions."""
        return self.names, self.source

    @property
    def exchanges(self) -> Exchanges:
        """The dialogue."""
        said: Exchanges = pickle.loads(zlib.decompress(self.packed))  # noqa: S301 - packed here
        return said

    @cached_property
    def all_ran(self) -> frozenset[CodeType]:
        """The code that any of its requests ran."""
        return frozenset[CodeType]().union(*self.ran)


class Recorder(Server):
    """The model as a target that records, at each request, the conditions that are met and the code that runs."""

    def __init__(self) -> None:
        super().__init__(PLATFORM)
        self.forget()
        self._sets: dict[frozenset[Any], frozenset[Any]] = {}

    def forget(self) -> None:
        """Clear the record."""
        self.exchanges: list[tuple[str, dict[str, Any]]] = []
        self.conditions: list[frozenset[str]] = []
        self.ran: list[frozenset[CodeType]] = []

    def answer(self, line: str) -> dict[str, Any]:
        """Return the reply to one request."""
        met = self._met(json.loads(line))
        ran: set[CodeType] = set()

        with calls_noted(ran.add):
            reply = super().answer(line)
        self.exchanges.append((line, reply))
        self.conditions.append(self._one(met))
        self.ran.append(self._one(frozenset(code for code in ran if code.co_filename.startswith(_MODEL))))
        return reply

    def _met(self, request: Mapping[str, Any]) -> frozenset[str]:
        if self._state is None or request["op"] in ("hello", "setup", "bye"):
            return frozenset()
        return frozenset(conditions_at(Moment(self._state, parse_call(request))))

    def _one(self, found: frozenset[Any]) -> frozenset[Any]:
        """Return the one set that equals this one, so that many requests share it."""
        return self._sets.setdefault(found, found)

    def talks(self, names: tuple[str, ...], source: str) -> Iterator[Talk]:
        """Yield the recorded sessions."""
        every = tuple(sessions_of(tuple(self.exchanges)))
        start = len(self.exchanges) - sum(map(len, every))  # behind hello
        for said in every:
            end = start + len(said)
            packed = zlib.compress(pickle.dumps(said), 1)
            yield Talk(names, source, packed, tuple(self.conditions[start:end]), tuple(self.ran[start:end]))
            start = end


@dataclass(frozen=True)
class ConditionalMutant:
    """A mutant that is wrong only when a condition is met."""

    mutant: Mutant
    """The mutant."""
    condition: str
    """The condition."""

    @property
    def name(self) -> str:
        """The name that distinguishes it from others."""
        return f"{self.mutant.patch} where {self.condition}"

    def requests(self, talk: Talk) -> list[int]:
        """Return the numbers of the requests at which it may be wrong."""
        patch = self.mutant.patch
        if not patch.is_met_by(talk.all_ran):
            return []
        pairs = enumerate(zip(talk.conditions, talk.ran, strict=True))
        return [number for number, (met, ran) in pairs if self.condition in met and patch.is_met_by(ran)]

    def is_noticed(self, talk: Talk, requests: Sequence[int]) -> bool:
        """Return whether it answers a request of a session in a way that the model never allows."""
        said, server, wrong = talk.exchanges, Server(PLATFORM), set(requests)
        for number, (line, reply) in enumerate(said):
            try:
                with limited(SECONDS), self.mutant.patch.applied() if number in wrong else nullcontext():
                    got = server.answer(line)
            except TimeoutError:
                return False
            except Exception:  # noqa: BLE001 - a change may break anything, which would show
                return True
            if got != reply:
                return not _is_allowed(said[: number + 1], got)
        return False


class _Asked(Server):
    """The model, as a judge of replies."""

    def allows(self, line: str, got: Mapping[str, Any]) -> bool:
        """Return whether a reply to a request is one of those allowed."""
        request = json.loads(line)
        if self._state is None or "error" in got or request["op"] == "setup":
            return False
        call = parse_call(request)
        for outcome in islice(outcomes(self._state, call), MOST_LOOKED_AT):
            if {"seq": got["seq"], **format_reply(outcome.reply, call, outcome.completed)} == got:
                return True
        return False


def _is_allowed(said: Exchanges, got: Mapping[str, Any]) -> bool:
    """Return whether the last request may be answered so after the others were answered as the model does."""
    server = _Asked(PLATFORM)
    for line, _ in said[:-1]:
        server.answer(line)
    return server.allows(said[-1][0], got)


def of_the_suite(*, anew: bool) -> Iterator[Talk]:
    """Yield the sessions of the checks of the quick budget; `anew` leaves out those under circumstances."""
    server = Recorder()
    dialogue = Dialogue(InProcessTarget("model", lambda: server))
    for check in all_checks():
        if check.kind == "scenario" and not check.inapplicable(dialogue.hello):
            if anew and check.area == circumstances.AREA:
                continue
            server.forget()
            with suppress(MqOracleError):  # the check is undecided
                check.perform(Rig(dialogue))
            yield from server.talks((), check.id)


def under_circumstances(random: Random, singles: float, pairs: int) -> Iterator[Talk]:
    """Yield sessions under circumstances: a share of those under one, and some under two."""
    server = Recorder()
    dialogue = Dialogue(InProcessTarget("model", lambda: server))
    every, names = circumstances.histories(PLATFORM), list(CIRCUMSTANCES)
    one = [((name,), source) for name in names for source in every if random.random() < singles]
    two = [(tuple(random.sample(names, 2)), random.choice(list(every))) for _ in range(pairs)]
    for of, source in (*one, *two):
        changed = every[source].under(of)
        if changed is None:
            continue
        server.forget()
        with suppress(MqOracleError):  # it cannot be carried out or judged to its end
            session = Session(dialogue, changed.history.setup)
            circumstances.play(session, every[source].history, changed.history)
            if len(server.exchanges) <= LONGEST:
                yield from server.talks(of, source)


class Hunt:
    """A trial of conditional mutants with sessions."""

    def __init__(self, suite: Iterable[Talk], pool: Iterable[Talk]) -> None:
        every = tuple(suite)
        self._chosen = tuple(talk for talk in every if talk.source.startswith(f"{circumstances.AREA}/"))
        self._suite = tuple(talk for talk in every if not talk.source.startswith(f"{circumstances.AREA}/"))
        self._pool = tuple(pool)

    def __str__(self) -> str:
        """Return the number of sessions as text."""
        chosen = f"and {len(self._chosen)} of it" if self._chosen else "and"
        return f"{len(self._suite)} sessions of the suite, {chosen} {len(self._pool)} under circumstances"

    def noticed(self, mutant: ConditionalMutant) -> tuple[str, tuple[Key, ...]]:
        """Return the result of a mutant, and the histories under circumstances that notice what no other does."""
        random, met = Random(mutant.name), False
        for state, talks in ((BY_THE_SUITE, self._suite), (BY_CHOSEN, self._chosen), (BY_OTHERS, self._pool)):
            near = [(talk, requests) for talk in talks if (requests := mutant.requests(talk))]
            met = met or bool(near)
            random.shuffle(near)
            tries, hits = (MOST_TRIES, MOST_HITS) if state == BY_OTHERS else (len(near), 1)
            found = (talk.key for talk, requests in near[:tries] if mutant.is_noticed(talk, requests))
            if keys := tuple(islice(found, hits)):
                return state, keys if state == BY_OTHERS else ()
        return ("not noticed" if met else "never met"), ()


_of_this_process: list[Hunt] = []


def _noticed(mutant: ConditionalMutant) -> tuple[str, tuple[Key, ...]]:
    return _of_this_process[-1].noticed(mutant)


def all_noticed(hunt: Hunt, hunted: Sequence[ConditionalMutant], jobs: int) -> Iterator[tuple[str, tuple[Key, ...]]]:
    """Yield the result of each of several mutants; copies of this process, with all its sessions, share the work."""
    with get_context("fork").Pool(jobs, _of_this_process.append, (hunt,)) as pool:
        yield from pool.imap(_noticed, hunted, chunksize=10)


def chosen_keys() -> list[Key]:
    """Return the chosen histories."""
    return [(names, source) for names, sources in circumstances.chosen().items() for source in sources]


def fewest(noticing: Iterable[Collection[Key]]) -> list[Key]:
    """Return few histories that together notice each mutant: always the one next that notices the most."""
    left, taken = list(noticing), list[Key]()
    while left:
        (best, _), *_ = Counter(key for keys in left for key in keys).most_common(1)
        taken.append(best)
        left = [keys for keys in left if best not in keys]
    return taken


def text_of(keys: Iterable[Key]) -> str:
    """Return the text of the file of chosen histories."""
    chosen: dict[str, list[str]] = {}
    order = list(CIRCUMSTANCES)
    for names, source in sorted(keys, key=lambda key: ([order.index(name) for name in key[0]], key[1])):
        chosen.setdefault("+".join(names), []).append(source)
    return HEAD + write_yaml({"chosen": chosen})


def drawn(random: Random, count: int) -> Iterator[ConditionalMutant]:
    """Yield a number of conditional mutants that can be made."""
    known: frozenset[Patch] = judged()
    every = [each for each in mutants() if each.patch not in known]
    drawn_again = (random.choice(every) for _ in repeat(None))
    for mutant in islice(filter(Mutant.can_be_made, drawn_again), count):
        yield ConditionalMutant(mutant, random.choice(list(CONDITIONS)))


@click.command()
@click.option("--mutants", "count", type=click.IntRange(1), default=500, show_default=True, help="How many to draw.")
@click.option("--seed", default=1, show_default=True, help="Draws the same ones again.")
@click.option("--singles", type=click.FloatRange(0, 1), default=0.2, show_default=True, help="Share of the histories.")
@click.option("--pairs", type=click.IntRange(0), default=12_000, show_default=True, help="Histories under two.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, help="Processes at once.")
@click.option("--measure", is_flag=True, help="Write nothing; the histories chosen before are part of the suite.")
@click.option("--add", is_flag=True, help="Keep the histories chosen before, and add those that notice more.")
def main(*, count: int, seed: int, singles: float, pairs: int, jobs: int, measure: bool, add: bool) -> None:
    """Draw mutants that are wrong under a condition, and print how many are noticed."""
    random = Random(seed)
    hunt = Hunt(of_the_suite(anew=not (measure or add)), under_circumstances(random, singles, pairs))
    click.echo(f"{hunt}")
    with click.progressbar(all_noticed(hunt, list(drawn(random, count)), jobs), count, show_pos=True) as came:
        found = list(came)
    click.echo(
        ", ".join(f"{state}: {number}" for state, number in sorted(Counter(state for state, _ in found).items()))
    )
    if not measure:
        kept = chosen_keys() if add else []
        CHOSEN.write_text(text_of([*kept, *fewest(keys for _, keys in found if keys)]), encoding="utf-8")


if __name__ == "__main__":
    main()
