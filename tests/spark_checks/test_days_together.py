"""Daily audits find what one audit over all days finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

import tests.spark_checks.test_cases  # noqa: F401 - importing registers the cases
from oracle.mqi.constants import MQCC, MQGMO, MQMF
from spark_checks.audit import audit_log
from spark_checks.days.auditing import COUNTED
from spark_checks.frames import Engine
from spark_checks.readers.load import read_log
from tests.spark_checks.cases import CASES
from tests.spark_checks.day_by_day import DAY_US, Claim, at_the_end_of, audited, claims, days_of, mutated
from tests.spark_checks.histories import COMPLETE, QUEUE, History, Record, write_log
from tests.spark_checks.oracle_traffic import Traffic, headers
from tests.spark_checks.small_queue_manager import Defect, Simulation, recorded

DAYS = 3
OF_EACH_DEFECT = 3
OF_THE_ORACLE = 24
_SEGMENT = MQMF.SEGMENT | MQMF.LAST_SEGMENT
_NEXT_OF_GROUP = "(the next one of its current group)"
ARGUING_FROM_ABSENCE = ("DLV-01", "RPM-01")
"""The rules of which a finding says on a later day that not all earlier calls are remembered."""
AFTER_ITS_REMOVAL = ("CUR-05", "CMP-09", "SYN-02", "TRN-03", "SIP-02", "SYN-05", "SYN-08", "DLV-02")
"""The rules by which a message was removed that is returned again."""


def of_defects(random: Random) -> Iterator[list[Record]]:
    """Yield histories of queue managers that are wrong in one way, and of one that is not."""
    for defect in Defect:
        for number in range(OF_EACH_DEFECT):
            qmgr = f"{defect.name}/{number}"
            simulation = Simulation(random, fifo=random.random() < 0.3, defect=defect)
            calls = simulation.run(40, random.randint(2, 4))
            sequence = "FIFO" if simulation.fifo else "PRIORITY"
            of_queue: Record = {"qmgr": qmgr, "queue": QUEUE}
            yield [
                {"header": "depth", **of_queue, "at_us": -(10**6), "depth": 0},
                {"header": "queue", **of_queue, "MsgDeliverySequence": sequence, "CAPEXPRY": 0},
                *recorded(calls, qmgr, random, width_us=random.choice((0, 20, 60, 150)), clock_us=0),
            ]


def of_the_oracle(random: Random) -> Iterator[list[Record]]:
    """Yield what the oracle did, as it was and with some records changed."""
    for number in range(OF_THE_ORACLE):
        conforming = number % 3 == 0
        qmgr = f"{'oracle' if conforming else 'mutated'}/{number}"
        traffic = Traffic(random, aside=True).run(random.randint(20, 90), random.randint(1, 4))
        records = list(traffic.recorded(qmgr, random.choice((0, 0, 1, 3, 20, 400)), 0))
        yield [*headers(qmgr, -(10**9), aside=True), *(records if conforming else mutated(records, random))]


def of_cases() -> Iterator[list[Record]]:
    """Yield the cases of all checks; without all calls of a queue, nothing of it is remembered."""
    for case in CASES.values():
        history = History(case.name)
        case.write(history)
        moves = [record for record in history.records if record.get("call") in {"MQPUT", "MQPUT1", "MQGET"}]
        done = [move for move in moves if move.get("comp_code") != MQCC.FAILED]
        if case.log == "complete" and all("queue" in move and "msg_id" in move for move in done):
            yield history.records


def over_midnight(days: Sequence[Sequence[Record]]) -> set[tuple[str, int]]:
    """Return the calls that began before the day on which they ended."""
    dated = [(number, record) for number, day in enumerate(days) for record in day if "conn" in record]
    return {(record["conn"], record["seq"]) for day, record in dated if record["start_us"] <= day * DAY_US}


def overtaken(days: Sequence[Sequence[Record]]) -> set[tuple[str, int]]:
    """Return the puts that ended on a later day than a get of their message, which may be forgotten by then."""
    records = [(number, record) for number, day in enumerate(days) for record in day if "msg_id" in record]
    got = {(record["qmgr"], record["msg_id"]): day for day, record in reversed(records) if record["call"] == "MQGET"}
    return {
        (record["conn"], record["seq"])
        for day, record in records
        if record["call"] != "MQGET" and got.get((record["qmgr"], record["msg_id"]), day) < day
    }


def perhaps_made(days: Sequence[Sequence[Record]]) -> set[tuple[str, int]]:
    """Return the calls with which a changed record shows a segment, which a queue manager may have made itself."""
    records = [record for day in days for record in day if "conn" in record]
    return {(record["conn"], record["seq"]) for record in records if (record.get("msg_flags") or 0) & _SEGMENT}


def compared(told: set[Claim], whole: set[Claim], days: Sequence[Sequence[Record]]) -> tuple[set[Claim], set[Claim]]:
    """Return the claims of each set of findings, without those that must differ.

    A message whose calls are no longer remembered comes from nowhere when it is returned again, even if its identifier
    is used twice. It is not reported if the call began when they still were, if the queue manager may have made it, or
    if it is not known that the queue was empty when the log began; nor of a get that did not find, or passed over, a
    message from before the log began. A report that has the CorrelId of such a message is suspected to be about none.
    Of a message that was got on the day before its put ended, the get may not be remembered; nor is a call on the day
    before, if one that ended after it shows that the message was there, nor after which browse a BROWSE_NEXT came that
    found nothing: what it did not find stays lost, though it is seen on a later day. So of several calls that passed
    over a message which a later day shows to have been there, the days may tell another. What was counted is looked at
    in test_days.py.
    """
    reported = {(claim[0], claim[4]) for claim in whole if claim[1] == "RPM-01"}
    about_forgotten = {claim for claim in told if claim[1] == "RPM-01" and (claim[0], claim[4]) not in reported}
    assert {claim[2] for claim in about_forgotten} <= {"suspicion"}
    forgotten = {(claim[0], claim[3]) for claim in told - whole if claim[1] == "DLV-01"}
    accused = {(claim[0], claim[3]) for claim in whole}
    assert {claim for claim in forgotten - accused if not claim[0].startswith("mutated/")} == set()

    late, made, after_get = over_midnight(days), perhaps_made(days), overtaken(days)
    moves = [record for day in days for record in day if record.get("call") in {"MQPUT", "MQPUT1"}]
    put = {(record["qmgr"], record.get("msg_id")) for record in moves}
    browses = [record for day in days for record in day if record.get("call") == "MQGET"]
    browses_on = {
        (one["conn"], one["seq"])
        for one in browses
        if (one.get("options") or 0) & MQGMO.BROWSE_NEXT and "reason" in one
    }
    emptied = {record["qmgr"] for day in days for record in day if record.get("header") == "depth"}
    day_of = {
        (record["conn"], record["seq"]): number for number, day in enumerate(days) for record in day if "conn" in record
    }

    returned = [record for day in days for record in day if "msg_id" in record]
    message_of = {(record["conn"], record["seq"]): record["msg_id"] for record in returned}
    original_of = {(record["conn"], record["seq"]): record.get("correl_id") for record in returned}

    def about_browse(claim: Claim) -> bool:
        return _NEXT_OF_GROUP in claim[5] and bool(browses_on.intersection(claim[4]))

    def likened(claim: Claim) -> Claim:
        if about_browse(claim):
            return claim[0], "DLV-05", "", claim[3], claim[4][:2], ""
        return (*claim[:2], "", *claim[3:5], "") if claim[1] in ARGUING_FROM_ABSENCE else claim

    told_alike = set(map(likened, told))

    def about_a_forgotten_one(claim: Claim) -> bool:
        """Return whether a claim is about a forgotten message, or says of a report that it is about none."""
        about = original_of.get(claim[4][-1]) if claim[1] == "RPM-01" else None
        return not forgotten.isdisjoint({(claim[0], claim[3]), (claim[0], about)})

    def untold(claim: Claim) -> bool:
        first, last = claim[4][0], claim[4][-1]
        about = {(claim[0], claim[3]), (claim[0], message_of.get(last, claim[3]))}
        unknown_before = claim[1] in AFTER_ITS_REMOVAL or not about <= put
        from_before = claim[0] not in emptied and unknown_before
        shown_late = last in made or late.intersection(claim[4])
        if likened(claim) in told_alike:
            return False
        return bool(shown_late or from_before or about_browse(claim)) and day_of[first] < day_of[last]

    def passed_over_before(claim: Claim) -> bool:
        *_, passed, shown = claim[4]
        return "afterwards" in claim[5] and not about_browse(claim) and day_of[passed] < day_of[shown]

    def same(claims: set[Claim]) -> set[Claim]:
        told_apart = {claim for claim in claims - about_forgotten if len(claim[4]) < 2 or not passed_over_before(claim)}
        sure = {claim for claim in told_apart if not after_get.intersection(claim[4])}
        known = {claim for claim in sure if not (claim[1] == "DLV-01" and late.intersection(claim[4]))}
        others = {
            claim
            for claim in known
            if claim[1] not in COUNTED and not about_a_forgotten_one(claim) and not untold(claim)
        }
        return set(map(likened, others))

    return same(told), same(whole)


def test_days_together_find_what_one_audit_finds(engine: Engine, tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    days: list[list[Record]] = [[] for _ in range(DAYS)]
    for records in (*of_cases(), *of_defects(random), *of_the_oracle(random)):
        for day, part in zip(days, days_of(records, random, DAYS), strict=True):
            day.extend(part)
    *_, told = audited(engine, days, tmp_path)
    log = [COMPLETE, *(record for number, day in enumerate(days) for record in (*day, at_the_end_of(number)))]
    whole = claims(audit_log(read_log(engine, [write_log(tmp_path / "whole.jsonl", log)]), replay_limit=0).findings)
    of_days, of_whole = compared(told, whole, days)
    assert of_days == of_whole
    accused = {claim[0].partition("/")[0] for claim in told}
    assert Defect.NONE.name not in accused
    assert "mutated" in accused
    missed = {defect.name for defect in Defect} - accused - {Defect.NONE.name}
    assert len(missed) <= len(Defect) // 8  # of each there are few histories; test_soundness.py has many


@pytest.mark.parametrize("cut", [0, 3, 7, 11])
def test_a_browse_that_did_not_find_the_next_of_its_group_is_told_for_good(
    engine: Engine, tmp_path: Path, cut: int
) -> None:
    name = "the_next_of_the_group_that_is_browsed_is_there"
    history = History(name)
    CASES[name].write(history)
    after = list(audited(engine, days_of(history.records, Random(cut), DAYS), tmp_path))
    first = next(number for number, told in enumerate(after) if told)
    assert all(told == after[first] for told in after[first:])
