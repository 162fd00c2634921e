"""The sweep: the best of the offers before each query, the same whether a busy key is cut into stretches or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from spark_checks import audit
from spark_checks.frames import Engine, Frame
from spark_checks.preparation.sweep import Stretches, busy_keys, sweep
from spark_checks.readers.load import read_log
from tests.spark_checks.day_by_day import Claim, claims
from tests.spark_checks.histories import COMPLETE, QUEUE, write_log
from tests.spark_checks.small_queue_manager import Defect, Simulation, recorded

SCHEMA = (
    "qmgr string, queue string, row long, family string, key string,"
    " at long, is_offer boolean, value long, endless boolean, since long"
)
Place = tuple[str, str, int, str, str, int, bool, int, bool, int | None]
Answer = tuple[str, str, str, int, int, int, bool]


def places(random: Random) -> list[Place]:
    """Return places of some keys, one of them with most of all, with equal places and values among them."""
    found: list[Place] = []
    for row in range(600):
        key = random.choice(("hot", "hot", "hot", "hot", "mild", f"cold{random.randrange(40)}"))
        at, value = random.randrange(-80, 80), random.randrange(-100, 100)
        offer = random.random() < 0.5
        endless = offer and random.random() < 0.05
        since = random.choice((None, random.randrange(-100, 100)))
        found.append(("QM", "Q", row, random.choice(("F", "G")), key, at, offer, value, endless, since))
    return found


def expected(found: list[Place]) -> Iterator[Answer]:
    """Compare every query with every offer, and with the `since` of the best one."""
    for qmgr, queue, asker, family, key, at, is_offer, value, _, since in found:
        if is_offer:
            continue
        before = [one for one in found if one[6] and one[3:5] == (family, key) and one[5] < at]
        for endless in (False, True):
            best = max((one for one in before if one[8] is endless), key=lambda one: (one[7], one[2]), default=None)
            if best is None or not (endless or best[7] > value):
                continue
            if since is None or best[9] is None or best[9] < since:
                yield family, qmgr, queue, asker, best[2], best[7], endless


def answers(swept: Frame) -> list[Answer]:
    return sorted(tuple(row) for row in swept.collect())


def test_stretches_change_no_answer(engine: Engine, seed: int) -> None:
    found = places(Random(seed))
    placed = engine.frame(found, SCHEMA)
    stretches = busy_keys(placed, 20)
    assert {one.key for one in stretches} >= {"hot", "mild"}
    assert all(len(one.cuts) >= 2 for one in stretches if one.key == "hot")
    wanted = sorted(expected(found))
    assert wanted
    assert answers(sweep(placed, stretches)) == wanted
    assert answers(sweep(placed)) == wanted


def test_a_busy_queue_is_judged_alike_in_stretches(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    random = Random(seed)
    calls = Simulation(random, fifo=True, defect=Defect.OVERLOOKS).run(800)
    header = {"header": "queue", "qmgr": "QM", "queue": QUEUE, "MsgDeliverySequence": "FIFO", "CAPEXPRY": 0}
    log = write_log(tmp_path / "log.jsonl", [COMPLETE, header, *recorded(calls, "QM", random, width_us=60, clock_us=0)])
    found_busy: list[Stretches] = []

    def told_busy(sample: Frame, most: int) -> list[Stretches]:
        found_busy.extend(busy_keys(sample, most))
        return found_busy

    def found() -> set[Claim]:
        return claims(audit.audit_log(read_log(engine, [log]), replay_limit=0).findings)

    whole = found()
    monkeypatch.setattr(audit, "_MOST_IN_ONE_TASK", 100)
    monkeypatch.setattr(audit, "busy_keys", told_busy)
    assert found() == whole
    assert whole
    assert any(one.cuts for one in found_busy)
