"""Queue managers that make other lawful choices than the model have no findings either.

The suite's state machines play on them; their sessions are recorded, and audited by the checks alone. So are other
checks of the suite, whose sessions are replayed on the model as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from conformance.checks.check import Check
from conformance.checks.machines import CHECKS
from conformance.checks.rig import Rig
from conformance.checks.selection import all_checks
from conformance.reports.histories import event_log
from conformance.sessions.dialogue import Dialogue
from conformance.sessions.session import Session
from conformance.targets import InProcessTarget
from fixtures.variants import VARIANTS
from oracle.errors import UsageError
from oracle.histories.event_log import to_line
from oracle.mqi.profile import PlatformName
from spark_checks.audit import audit
from spark_checks.frames import Engine
from tests.spark_checks.histories import COMPLETE, Record, findings_by_qmgr, write_log

MACHINES = 2
"""How many of the machines play in a test, each time others."""
OTHERS = 60
"""How many of the other checks do."""


def sessions_on(variant: str, platform: PlatformName, seed: int) -> Iterator[Session]:
    """Play some of the state machines on a variant, and yield what was done in each session."""
    yield from _played(variant, platform, seed, Random(f"{seed}/{variant}").sample(CHECKS, MACHINES))


def suite_on(variant: str, platform: PlatformName, seed: int) -> Iterator[Session]:
    """Play some of the other checks on a variant, and yield what was done in each session."""
    others = [check for check in all_checks() if check not in CHECKS]
    chosen = Random(f"{seed}/{variant}").sample(others, OTHERS)
    # A choice of the variant may leave a step without its handle.
    yield from _played(variant, platform, seed, chosen, ends_by=(UsageError,))


def _played(
    variant: str, platform: PlatformName, seed: int, chosen: Sequence[Check], ends_by: Sequence[type[Exception]] = ()
) -> Iterator[Session]:
    """Play checks on a variant, and yield what was done in each session; `ends_by` are errors that may end a check."""
    dialogue = Dialogue(InProcessTarget(variant, lambda: VARIANTS[variant].server(platform)))
    for check in chosen:
        sessions: list[Session] = []
        if not check.inapplicable(dialogue.hello):
            with suppress(*ends_by):
                check.perform(Rig(dialogue, seed=seed, keep=sessions.append))
        yield from (session for session in sessions if session.exchanges)


def recorded(session: Session, qmgr: str) -> list[Record]:
    """Return a session as records, without the header of its log; nothing if that is not complete."""
    header, *records = (json.loads(to_line(record)) for record in event_log(session, qmgr))
    return records if header["complete"] else []


def log_of(variant: str, platform: PlatformName, sessions: Iterator[Session]) -> list[Record]:
    """Return sessions on a variant as one log, each on a queue manager of its own."""
    records: list[Record] = [COMPLETE | {"platform": platform}]
    for number, session in enumerate(sessions):
        records += recorded(session, f"{variant}/{number}")
    assert len(records) > 1
    return records


@pytest.mark.parametrize(
    ("variant", "platform"), [("contrary", "distributed"), ("other-ends", "zos"), (None, "distributed")]
)
def test_a_lawful_variant_is_accused_of_nothing(
    engine: Engine, log_file: Path, seed: int, variant: str | None, platform: PlatformName
) -> None:
    name = variant or Random(seed).choice(sorted(VARIANTS))
    log = write_log(log_file, log_of(name, platform, sessions_on(name, platform, seed)))
    assert findings_by_qmgr(audit(engine, [log], replay_limit=0)) == {}


@pytest.mark.parametrize("platform", ["distributed", "zos"])
def test_a_lawful_variant_is_accused_of_nothing_by_what_the_suite_asks(
    engine: Engine, log_file: Path, seed: int, platform: PlatformName
) -> None:
    name = Random(f"{seed}/{platform}").choice(sorted(VARIANTS))
    found = audit(engine, [write_log(log_file, log_of(name, platform, suite_on(name, platform, seed)))])
    assert findings_by_qmgr(found) == {}
    assert found.replayed.followed > 0
