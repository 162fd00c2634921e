"""Queue managers that make other lawful choices than the model have no findings either.

The suite's state machines play on them; their sessions are recorded, and audited by the checks alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from conformance.checks.machines import CHECKS
from conformance.checks.rig import Rig
from conformance.reports.histories import event_log
from conformance.sessions.dialogue import Dialogue
from conformance.sessions.session import Session
from conformance.targets import InProcessTarget
from fixtures.variants import VARIANTS
from oracle.histories.event_log import to_line
from oracle.mqi.profile import PlatformName
from spark_checks.audit import audit
from spark_checks.frames import Engine
from tests.spark_checks.histories import COMPLETE, Record, findings_by_qmgr, write_log

MACHINES = 2
"""How many of the machines play in a test, each time others."""


def sessions_on(variant: str, platform: PlatformName, seed: int) -> Iterator[Session]:
    """Play some of the state machines on a variant, and yield what was done in each session."""
    chosen = Random(f"{seed}/{variant}").sample(CHECKS, MACHINES)
    dialogue = Dialogue(InProcessTarget(variant, lambda: VARIANTS[variant].server(platform)))
    for check in chosen:
        sessions: list[Session] = []
        if not check.inapplicable(dialogue.hello):
            check.perform(Rig(dialogue, seed=seed, keep=sessions.append))
        yield from (session for session in sessions if session.exchanges)


def recorded(session: Session, qmgr: str) -> list[Record]:
    """Return a session as records, without the header of its log; nothing if that is not complete."""
    header, *records = (json.loads(to_line(record)) for record in event_log(session, qmgr))
    return records if header["complete"] else []


@pytest.mark.parametrize(
    ("variant", "platform"), [("contrary", "distributed"), ("other-ends", "zos"), (None, "distributed")]
)
def test_a_lawful_variant_is_accused_of_nothing(
    engine: Engine, log_file: Path, seed: int, variant: str | None, platform: PlatformName
) -> None:
    name = variant or Random(seed).choice(sorted(VARIANTS))
    records: list[Record] = [COMPLETE | {"platform": platform}]
    for number, session in enumerate(sessions_on(name, platform, seed)):
        records += recorded(session, f"{name}/{number}")
    assert len(records) > 1
    found = audit(engine, [write_log(log_file, records)], replay_limit=0)
    assert findings_by_qmgr(found) == {}
