"""Mutants: small systematic changes of the model's decisions, and those of them that no check of the suite notices.

    python -m bench.mutants --sample 60 --seed 1 --minutes 20
    python -m bench.mutants --module oracle.model.browsing --sample 50

Wrong queue managers written by hand (`fixtures/miniatures`) cover what their author thinks of. Mutants are made from
the model's source by the operators of `bench.mutations`. A mutant is *noticed* if some scenario, example or table
departs under it with the quick budget. The others are printed. Each of them is a gap in the suite, or lawful, or
indistinguishable from the model by its replies: `bench/mutants.yaml` has those that somebody has judged lawful or
indistinguishable, with the reason. The state machines are left out: they take the most time, and find almost nothing
that the tables miss.
"""

from __future__ import annotations

import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from time import monotonic
from types import CodeType, FrameType
from typing import Any, Final

import click
from pydantic import BaseModel, ConfigDict

import oracle
from bench.mutations import mutations
from conformance.checks.check import Check
from conformance.checks.rig import Rig
from conformance.checks.selection import all_checks
from conformance.sensitivity.miniatures import Exchanges, Miniature, answers_alike, sessions_of
from conformance.sensitivity.patches import Patch, forget_all
from conformance.sessions.dialogue import Dialogue
from conformance.targets import InProcessTarget
from oracle.errors import BadInputError, MqOracleError, TargetError
from oracle.mqi.profile import PLATFORMS, PlatformName
from oracle.serve import Server
from oracle.text.yaml_files import parse_yaml, read_text

MODEL: Final = Path(oracle.__file__).parent / "model"
JUDGED: Final = Path(__file__).with_suffix(".yaml")

SECONDS: Final = 5.0
"""The processor time that a session or a check may take under a mutant; a slower one counts as hanging."""

Mark = tuple[str, int] | str
"""A place at which a mutant is met: a file of the model and a line of it, or the name of a table."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change of the model: the patch, its effect, its place, and one of the marks at which it is met."""

    patch: Patch
    operator: str
    where: str
    marks: frozenset[Mark]

    def can_be_made(self) -> bool:
        """Return whether the model is still a program with the change."""
        try:
            with self.patch.applied():
                return True
        except Exception:  # noqa: BLE001 - a table of dates may be given a month 13
            return False


class Judged(BaseModel):
    """A mutant that no check can notice: `at`, `replace` and `by` are those of its patch, and `why` is the reason."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    at: str
    replace: str
    by: str
    why: str


class JudgedFile(BaseModel):
    """Every mutant that somebody has judged to be lawful, or the same as the model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    judged: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """A session of a check with the unchanged model."""

    check: Check
    platform: PlatformName
    exchanges: Exchanges

    def differs(self, patch: Patch) -> bool:
        """Return whether the model with the patch answers otherwise."""
        with limited():
            return not answers_alike(patch, self.platform, self.exchanges)


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """End a request that takes too much processor time by a TimeoutError: a change may make an endless loop."""

    def expired(_: int, __: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, expired)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def judged() -> frozenset[Patch]:
    """Return the mutants that need not be looked at again.

    Raises BadInputError if the file is not of the schema.
    """
    entries = parse_yaml(read_text(JUDGED), f"bench/{JUDGED.name}", JudgedFile).judged
    return frozenset(Patch(entry.at, entry.replace, entry.by) for entry in entries)


def mutants(module: str = "oracle.model") -> Iterator[Mutant]:
    """Yield every mutant of the modules with a prefix."""
    for path in sorted(MODEL.rglob("*.py")):
        name = ".".join(path.relative_to(MODEL.parents[1]).with_suffix("").parts)
        if name.startswith(module):
            for change in mutations(path.read_text(encoding="utf-8")):
                patch = Patch(f"{name}:{change.place}", change.replace, change.by)
                marks: set[Mark] = {(str(path), number) for number in change.lines}
                where = f"{path.relative_to(MODEL)}:{change.line}"
                yield Mutant(patch, change.operator, where, frozenset(marks or {change.place}))


class _Watched(Server):
    """The model as a target that records the dialogue and the marks that are met."""

    def __init__(self, platform: PlatformName, marks: frozenset[Mark]) -> None:
        super().__init__(platform)
        self.exchanges: list[tuple[str, dict[str, Any]]] = []
        self.met: set[Mark] = set()
        self._marks = marks
        self._of_codes: dict[CodeType, frozenset[Mark]] = {}

    def answer(self, line: str) -> dict[str, Any]:
        """Return the reply to one request."""
        sys.settrace(self._entered)
        try:
            reply = super().answer(line)
        finally:
            sys.settrace(None)
        self.exchanges.append((line, reply))
        return reply

    def forget(self) -> None:
        """Clear the record."""
        self.exchanges, self.met = [], set()

    def _entered(self, frame: FrameType, _: str, __: object) -> Callable[..., Any] | None:
        code = frame.f_code
        if code not in self._of_codes:
            lines = {(code.co_filename, number) for *_, number in code.co_lines() if number is not None}
            self._of_codes[code] = self._marks & (lines | set(code.co_names))
        marks = self._of_codes[code]
        if marks <= self.met:
            return None
        self.met |= {mark for mark in marks if isinstance(mark, str)}
        return partial(self._came_to, marks)

    def _came_to(self, marks: frozenset[Mark], frame: FrameType, _: str, __: object) -> Callable[..., Any]:
        self.met |= {(frame.f_code.co_filename, frame.f_lineno)} & marks
        return partial(self._came_to, marks)


def played(
    checks: Sequence[Check], platform: PlatformName, marks: frozenset[Mark]
) -> Iterator[tuple[Played, set[Mark]]]:
    """Yield the sessions of checks with the model and the quick budget, and the marks that each check meets.

    A check of several platforms is played only on the first of them. Caches are empty for each check.
    """
    server = _Watched(platform, marks)
    dialogue = Dialogue(InProcessTarget("model", lambda: server))
    for check in checks:
        elsewhere = platform != PLATFORMS[0] and PLATFORMS[0] in check.platforms
        if check.kind != "scenario" or elsewhere or check.inapplicable(dialogue.hello):
            continue
        forget_all()
        server.forget()
        departed(check, Rig(dialogue))
        if server.met:
            for exchanges in sessions_of(tuple(server.exchanges)):
                yield Played(check, platform, exchanges), server.met


def departed(check: Check, rig: Rig) -> bool:
    """Carry out a check, and return whether it departed."""
    try:
        check.perform(rig)
    except TargetError:
        return True
    except MqOracleError:
        pass  # the check is undecided
    rig.finish()
    return bool(rig.met)


class Hunt:
    """A search for checks that notice some mutants."""

    def __init__(self, hunted: Sequence[Mutant], checks: Sequence[Check]) -> None:
        marks = frozenset[Mark]().union(*(mutant.marks for mutant in hunted))
        self._sessions: dict[Mark, list[Played]] = {}
        for platform in PLATFORMS:
            for session, met in played(checks, platform, marks):
                for mark in met:
                    self._sessions.setdefault(mark, []).append(session)

    def state(self, mutant: Mutant) -> str:
        """Return the name of the first check that departs.

        Otherwise `not noticed`, or `never met` if none reaches it.
        """
        sessions = {id(each): each for mark in mutant.marks for each in self._sessions.get(mark, ())}
        tried: set[tuple[str, str]] = set()
        for session in sorted(sessions.values(), key=lambda each: len(each.exchanges)):
            key = (session.check.id, session.platform)
            if key not in tried and session.differs(mutant.patch):
                tried.add(key)
                if notices(session.check, session.platform, mutant.patch):
                    return session.check.id
        return "not noticed" if sessions else "never met"


def notices(check: Check, platform: PlatformName, patch: Patch) -> bool:
    """Return whether a check finds the model with a patch wrong, by the quick budget."""
    with closing(Miniature("mutant", "", (), platform, patch).target()) as target, limited():
        try:
            return departed(check, Rig(Dialogue(target)))
        except Exception:  # noqa: BLE001 - a change may break anything
            return True


@click.command()
@click.option("--module", default="oracle.model", help="Only modules whose names begin so.")
@click.option("--sample", type=click.IntRange(1), default=60, show_default=True, help="How many mutants to try.")
@click.option("--seed", default=1, show_default=True, help="Draws the same ones again.")
@click.option("--minutes", default=30.0, show_default=True, help="No mutant is begun later.")
def main(module: str, sample: int, seed: int, minutes: float) -> None:
    """Try a sample of the model's mutants, and print those that no check notices."""
    end = monotonic() + 60 * minutes
    try:
        known = judged()
    except BadInputError as error:
        raise click.ClickException(str(error)) from error
    every = [each for each in mutants(module) if each.patch not in known]
    chosen = [each for each in Random(seed).sample(every, min(sample, len(every))) if each.can_be_made()]
    click.echo(f"{len(chosen)} of {len(every)} mutants of {module}")
    hunt, came = Hunt(chosen, all_checks()), Counter[str]()
    for mutant in chosen:
        if monotonic() > end:
            break
        state = hunt.state(mutant)
        came[state if state in ("not noticed", "never met") else "noticed"] += 1
        if state in ("not noticed", "never met"):
            patch = mutant.patch
            click.echo(f"\n{state}: {mutant.operator}, {mutant.where}")
            click.echo(f"  at: {patch.place}\n  replace: {patch.replace}\n  by: {patch.by}")
    click.echo("\n" + ", ".join(f"{state}: {count}" for state, count in sorted(came.items())))


if __name__ == "__main__":
    main()
