"""How sharp the suite is: which deliberately wrong queue managers it catches, by which check, and how soon.

Each miniature is judged by the checks in the order of a user's run, up to the first one that blames a rule which the
miniature breaks. A check that never comes to the changed place of the model would go with the miniature as it goes
with the model as it is. So it is carried out with that alone, once for all miniatures, and its requests and its time
count for each of them as if it had been carried out again.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from random import Random
from types import CodeType, FrameType
from typing import Any

from conformance.bench import Bench, Budget
from conformance.checks import Check, blamed
from conformance.dialogue import Dialogue
from conformance.miniatures import Miniature, read_miniatures
from conformance.patches import forget_all
from conformance.selection import all_checks
from conformance.targets import InProcessTarget
from oracle.errors import MqOracleError, TargetError
from oracle.profile import PlatformName
from oracle.serve import Server

WANTED = {Budget.QUICK: 95, Budget.STANDARD: 100, Budget.DEEP: 100}
"""How many in 100 have to be caught, by budget."""


@dataclass(frozen=True, slots=True)
class Caught:
    """What came of a miniature: the check that caught it and the rule that this named, both empty if none did.

    `steps` are the requests until then, or of the whole run; `seconds` likewise. `trouble` says how it broke.
    """

    miniature: Miniature
    check: str = ""
    rule: str = ""
    steps: int = 0
    seconds: float = 0.0
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """What a check did with the model as it is: requests, seconds, and the code that the model ran."""

    steps: int
    seconds: float
    codes: frozenset[CodeType]

    def meets(self, miniature: Miniature) -> bool:
        """Whether the check comes to the place that the miniature changes."""
        return miniature.change.is_met_by(self.codes)


def sample(miniatures: Sequence[Miniature], count: int | None, seed: int) -> tuple[Miniature, ...]:
    """Return some of the miniatures, the same ones for the same seed, in their order; all of them without a count."""
    if count is None or count >= len(miniatures):
        return tuple(miniatures)
    chosen = set(Random(seed).sample(range(len(miniatures)), count))  # noqa: S311 - a sample, not a secret
    return tuple(miniature for number, miniature in enumerate(miniatures) if number in chosen)


def is_sharp_enough(rows: Sequence[Caught], budget: Budget) -> bool:
    """Whether as many of the miniatures are caught as the budget promises."""
    return sum(bool(row.check) for row in rows) * 100 >= WANTED[budget] * len(rows)


def measure(
    folder: Path, chosen: Sequence[Miniature], budget: Budget, seed: int = 0, jobs: int = 1
) -> Iterator[Caught]:
    """Yield what comes of each of some miniatures of a folder, in their order.

    Raises BadInputError if a change cannot be made.
    """
    shares = [list(range(len(chosen)))[start::jobs] for start in range(jobs)]
    names = [[chosen[number].name for number in share] for share in shares]
    if jobs == 1:
        yield from _measure_share((folder, names[0], budget, seed))
        return
    tasks = [(folder, share, budget, seed) for share in names if share]
    with get_context("spawn").Pool(len(tasks)) as pool:
        found = {row.miniature.name: row for share in pool.imap_unordered(_share_as_list, tasks) for row in share}
    yield from (found[miniature.name] for miniature in chosen)


def _share_as_list(task: tuple[Path, list[str], Budget, int]) -> list[Caught]:
    return list(_measure_share(task))


def _measure_share(task: tuple[Path, list[str], Budget, int]) -> Iterator[Caught]:
    folder, names, budget, seed = task
    miniatures = {miniature.name: miniature for miniature in read_miniatures(folder)}
    known: dict[PlatformName, Mapping[str, Trace]] = {}
    checks = all_checks()
    for name in names:
        miniature = miniatures[name]
        if miniature.platform not in known:
            known[miniature.platform] = traces(miniature.platform, checks)
        yield judge(miniature, checks, known[miniature.platform], budget, seed)


def judge(
    miniature: Miniature, checks: Sequence[Check], known: Mapping[str, Trace], budget: Budget, seed: int = 0
) -> Caught:
    """Judge a miniature by the checks in their order, up to the first that names a rule which it breaks.

    `known` are the traces of checks by id; a check without one is carried out in any case.
    """
    target = InProcessTarget(miniature.name, miniature.server)
    dialogue = Dialogue(target)
    steps, seconds, trouble = 0, 0.0, ""
    for check in checks:
        if check.inapplicable(dialogue.hello):
            continue
        trace = known.get(check.id)
        if trace is not None and not trace.meets(miniature):
            steps, seconds = steps + trace.steps, seconds + trace.seconds
            continue
        bench, began = Bench(dialogue, budget, seed), time.perf_counter()
        rules: tuple[str, ...] = ()
        try:
            found = check.perform(bench)
            if found is not None and found.departure is not None:
                rules = blamed(check, found.departure)
        except TargetError as error:
            trouble = trouble or f"{check.id}: {str(error).splitlines()[0]}"
            dialogue = Dialogue(target)
        except MqOracleError:
            pass  # the check is undecided
        steps, seconds = steps + bench.tally.steps, seconds + time.perf_counter() - began
        named = [rule for rule in rules if rule in miniature.rules]
        if named:
            return Caught(miniature, check.id, named[0], steps, seconds, trouble)
    return Caught(miniature, steps=steps, seconds=seconds, trouble=trouble)


def traces(platform: PlatformName, checks: Sequence[Check]) -> dict[str, Trace]:
    """Carry out the scenarios with the model as it is, and return what each of them did.

    A machine is not traced: it is there for what scenarios leave out, and does the most of all.
    """
    server = _TracedServer(platform)
    dialogue = Dialogue(InProcessTarget("model", lambda: server))
    found: dict[str, Trace] = {}
    for check in checks:
        if check.kind != "scenario" or check.inapplicable(dialogue.hello):
            continue
        bench, began = Bench(dialogue), time.perf_counter()
        _ignoring_the_undecided(check, bench)
        seconds = time.perf_counter() - began
        forget_all()
        server.codes = set()
        _ignoring_the_undecided(check, Bench(dialogue))
        found[check.id] = Trace(bench.tally.steps, seconds, frozenset(server.codes))
        server.codes = None
    return found


def _ignoring_the_undecided(check: Check, bench: Bench) -> None:
    try:
        check.perform(bench)
    except TargetError:
        raise
    except MqOracleError:
        pass


class _TracedServer(Server):
    """The reference server, which notes in `codes`, where that is a set, the code that it runs."""

    def __init__(self, platform: PlatformName) -> None:
        super().__init__(platform)
        self.codes: set[CodeType] | None = None

    def answer(self, line: str) -> dict[str, Any]:
        """Return the reply to one request."""
        if self.codes is None:
            return super().answer(line)
        note: Callable[[CodeType], None] = self.codes.add

        def profile(frame: FrameType, event: str, _: object) -> None:
            if event == "call":
                note(frame.f_code)

        sys.setprofile(profile)
        try:
            return super().answer(line)
        finally:
            sys.setprofile(None)
