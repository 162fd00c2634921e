"""Expiration reports of messages that were discarded unseen before a call changed where such reports go."""

from __future__ import annotations

from typing import Any, Final

import pytest

from oracle.model.queue_manager import new_state
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.mqi.profile import PlatformName, Profile
from oracle.replay.history import replay_history

QUEUES: Final[tuple[dict[str, Any], ...]] = (
    {"name": "Q"},
    {"name": "D"},
    {"name": "F"},
    {"name": "F2"},
    {"name": "M", "type": "model"},
    {"name": "A", "type": "alias", "target": "F"},
)
START = """
h = open Q INPUT_SHARED+OUTPUT+INQUIRE; a = open A OUTPUT+SET
d = open D INQUIRE; f = open F INQUIRE; f2 = open F2 INQUIRE
"""
PUT = "put h m1 NO_SYNCPOINT Expiry=50 Report=EXPIRATION ReplyToQ="
EXPIRED = "; advance 7s; get h NO_SYNCPOINT CorrelId=c1 -> 2033; "  # on z/OS a call has to meet it
GONE = "; inq h CurrentQDepth -> CurrentQDepth=0; "
ON_D, ON_F, ON_F2 = (f"inq {name} CurrentQDepth -> CurrentQDepth=1" for name in ("d", "f", "f2"))
NOT_ON_D = ON_D.replace("=1", "=0")


def conforms(text: str, platform: PlatformName) -> bool:
    """Return whether all of a history conforms."""
    definitions = [define(QueueDefinition, queue) for queue in QUEUES]
    qmgr = define(QueueManagerDefinition, {"DeadLetterQName": "D"})
    state = new_state(definitions, qmgr, Profile(platform=platform))
    return not any(step.departs for step in replay_history(START + text, "test", state))


OWN = PUT.replace("put h", "t = B.open M INPUT_SHARED+OUTPUT DynamicQName=T; put t")
OWN_EXPIRED = EXPIRED.replace("get h", "get t")


@pytest.mark.parametrize("platform", ["distributed", "zos"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"t = open M INPUT_SHARED DynamicQName=T; {PUT}T{EXPIRED}close t", GONE + NOT_ON_D),
        (f"{PUT}T{EXPIRED}t = open M INPUT_SHARED DynamicQName=T", GONE + ON_D),
        (f"{PUT}A{EXPIRED}alter A InhibitPut=1", GONE + NOT_ON_D),
        (f"{PUT}A{EXPIRED}set a InhibitPut=1", GONE + NOT_ON_D),
        (f"{PUT}A{EXPIRED}alter A target=F2", GONE + ON_F),
        (f"{PUT}A{EXPIRED}alter A target=F2", GONE + ON_F2),
        (f"{PUT}NONE{EXPIRED}alter qmgr DeadLetterQName=F2", GONE + ON_D),
        (f"{PUT}NONE{EXPIRED}alter qmgr DeadLetterQName=F2", GONE + ON_F2),
        (f"{OWN}F{OWN_EXPIRED}close t; ", ON_F),
        (f"{OWN}F{OWN_EXPIRED}disc B; ", ON_F),
        (f"{OWN}F{OWN_EXPIRED}close t; ", ON_F.replace("=1", "=0")),
    ],
)
def test_a_report_may_have_come_before_its_way_changed_or_come_afterwards(
    before: str, after: str, platform: PlatformName
) -> None:
    assert conforms(before + after, platform)


@pytest.mark.parametrize(
    "text",
    [
        f"{OWN}F{OWN_EXPIRED.replace('7s', '2s')}close t; advance 60s; {ON_F}",
        f"{OWN}F; cmit B; advance 7s; close t; {ON_F}",
        f"{PUT}A{EXPIRED}alter A target=F2{GONE}{ON_D}",
    ],
)
def test_no_report_comes_before_its_message_can_have_been_discarded_or_where_none_can_be(text: str) -> None:
    assert not conforms(text, "zos")


def test_a_signal_may_have_led_to_a_report_before_its_queue_was_deleted() -> None:
    put = OWN.replace("NO_SYNCPOINT", "SYNCPOINT")
    text = f"{put}F; advance 7s; put t m2 SYNCPOINT; get t SET_SIGNAL -> 2070; cmit B; disc B; {ON_F}"
    assert conforms(text, "zos")


@pytest.mark.parametrize(("seconds", "fits"), [(10, True), (30, True), (7, False)])
def test_a_scan_may_discard_the_report_that_an_earlier_scan_has_made(seconds: int, fits: bool) -> None:
    put = PUT.replace("put h", "put1 F").replace("Expiry=50 ", "")
    text = f"alter qmgr ExpiryInterval=5; alter F CAPEXPRY=50; {put}F"
    assert conforms(f"{text}; advance {seconds}s; inq f CurrentQDepth -> CurrentQDepth=0", "zos") == fits
    assert conforms(f"{text}; advance {seconds}s; inq f CurrentQDepth -> CurrentQDepth=1", "zos")


@pytest.mark.parametrize("platform", ["distributed", "zos"])
@pytest.mark.parametrize(("seconds", "outcome", "fits"), [(7, "2053", True), (7, "OK", True), (3, "2053", False)])
def test_a_report_of_an_unseen_discard_may_have_filled_its_queue(
    platform: PlatformName, seconds: int, outcome: str, fits: bool
) -> None:
    text = f"""
    alter qmgr ExpiryInterval=5; alter F MaxQDepth=2
    put1 Q m NO_SYNCPOINT Expiry=50 Report=EXPIRATION ReplyToQ=F
    put1 F m2 NO_SYNCPOINT; advance {seconds}s; put1 F m3 NO_SYNCPOINT -> {outcome}
    """
    assert conforms(text, platform) == fits
