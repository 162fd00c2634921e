"""Read ahead: which options of MQGET may change between the calls of a handle (IBM: MQGET options and read ahead)."""

from __future__ import annotations

import pytest

from oracle.mqi.constants import MQCC, MQCO, MQGMO, MQOO, MQRC
from oracle.standin import verbs
from oracle.testing import QueueManager
from tests.standin.conftest import Program

PLAIN = MQGMO.NO_SYNCPOINT | MQGMO.FAIL_IF_QUIESCING
AHEAD = MQOO.INPUT_SHARED | MQOO.READ_AHEAD


@pytest.fixture(autouse=True)
def _messages(qm: QueueManager) -> None:
    for number in range(5):
        qm.put("Q", b"%d" % number)


def reasons(program: Program, hobj: int, *options: int, **members: int) -> list[int]:
    """Return the reasons of MQGETs with these options, one after the other."""
    found = []
    for each in options:
        program.get(hobj, {"Options": each, "MatchOptions": 0}, **members)
        found.append(program.last.reason)
    return found


@pytest.mark.parametrize(
    "changed",
    [
        PLAIN | MQGMO.CONVERT,
        PLAIN | MQGMO.ACCEPT_TRUNCATED_MSG,
        MQGMO.SYNCPOINT_IF_PERSISTENT | MQGMO.FAIL_IF_QUIESCING,
        MQGMO.FAIL_IF_QUIESCING,
    ],
)
def test_options_that_must_stay_the_same(program: Program, changed: int) -> None:
    hobj = program.open("Q", AHEAD)
    assert reasons(program, hobj, PLAIN, changed, PLAIN) == [MQRC.NONE, MQRC.OPTIONS_CHANGED, MQRC.NONE]
    assert reasons(program, program.open("Q", AHEAD), changed, PLAIN) == [MQRC.NONE, MQRC.OPTIONS_CHANGED]


def test_options_that_may_change(program: Program) -> None:
    hobj = program.open("Q", AHEAD)
    asked = (PLAIN, MQGMO.NO_SYNCPOINT, PLAIN | MQGMO.WAIT, PLAIN)
    assert reasons(program, hobj, *asked) == [MQRC.NONE] * len(asked)


@pytest.mark.parametrize(
    "option",
    [
        MQGMO.SYNCPOINT,
        MQGMO.LOGICAL_ORDER | MQGMO.NO_SYNCPOINT,
        MQGMO.COMPLETE_MSG | MQGMO.NO_SYNCPOINT,
        MQGMO.ALL_MSGS_AVAILABLE | MQGMO.NO_SYNCPOINT,
        MQGMO.ALL_SEGMENTS_AVAILABLE | MQGMO.NO_SYNCPOINT,
    ],
)
def test_options_that_are_not_allowed_fail_later_and_end_it_at_first(program: Program, option: int) -> None:
    later = program.open("Q", AHEAD)
    assert reasons(program, later, PLAIN, option) == [MQRC.NONE, MQRC.OPTIONS_ERROR]
    first = program.open("Q", AHEAD)
    assert reasons(program, first, option, PLAIN, PLAIN | MQGMO.CONVERT) == [MQRC.NONE] * 3


def test_a_handle_browses_or_gets(program: Program) -> None:
    hobj = program.open("Q", MQOO.BROWSE | MQOO.READ_AHEAD)
    browse = MQGMO.BROWSE_FIRST | MQGMO.FAIL_IF_QUIESCING
    assert reasons(program, hobj, browse, MQGMO.BROWSE_NEXT) == [MQRC.NONE, MQRC.NONE]
    assert reasons(program, hobj, MQGMO.FAIL_IF_QUIESCING) == [MQRC.OPTIONS_CHANGED]


def test_a_handle_for_browsing_and_getting_does_not_read_ahead(program: Program) -> None:
    hobj = program.open("Q", AHEAD | MQOO.BROWSE)
    assert reasons(program, hobj, PLAIN, PLAIN | MQGMO.CONVERT) == [MQRC.NONE, MQRC.NONE]


def test_what_conversion_is_asked_for_must_stay_the_same(program: Program) -> None:
    hobj = program.open("Q", AHEAD)
    assert reasons(program, hobj, PLAIN | MQGMO.CONVERT, CodedCharSetId=1208) == [MQRC.NONE]
    assert reasons(program, hobj, PLAIN | MQGMO.CONVERT, CodedCharSetId=0) == [MQRC.NONE]
    assert reasons(program, hobj, PLAIN | MQGMO.CONVERT, CodedCharSetId=500) == [MQRC.OPTIONS_CHANGED]
    hobj = program.open("Q", AHEAD)
    assert reasons(program, hobj, PLAIN, CodedCharSetId=1208) == [MQRC.NONE]
    assert reasons(program, hobj, PLAIN, CodedCharSetId=500) == [MQRC.NONE]


@pytest.mark.parametrize(
    ("default", "option", "second"),
    [
        (0, 0, MQRC.NONE),
        (0, MQOO.READ_AHEAD, MQRC.OPTIONS_CHANGED),
        (1, 0, MQRC.OPTIONS_CHANGED),
        (1, MQOO.NO_READ_AHEAD, MQRC.NONE),
        (2, MQOO.READ_AHEAD, MQRC.NONE),
        (2, 0, MQRC.NONE),
    ],
)
def test_the_queue_and_the_call_decide(
    qm: QueueManager, program: Program, default: int, option: int, second: int
) -> None:
    qm.define("ALIAS", type="alias", BaseQName="Q")
    for name in ("Q", "ALIAS"):
        qm.alter(name, DefReadAhead=default)
        hobj = program.open(name, MQOO.INPUT_SHARED | option)
        assert reasons(program, hobj, PLAIN, PLAIN | MQGMO.CONVERT) == [MQRC.NONE, second]


def test_a_dynamic_queue_reads_ahead_as_its_model_says(qm: QueueManager, program: Program) -> None:
    qm.define("MODEL", type="model", DefReadAhead=1, BackoutThreshold=4)
    hobj = program.open("MODEL", MQOO.INPUT_SHARED)
    empty = [MQRC.NO_MSG_AVAILABLE, MQRC.OPTIONS_CHANGED]
    assert reasons(program, hobj, PLAIN, PLAIN | MQGMO.CONVERT) == empty
    made = [name for name in qm.running.beside if name not in (None, "Q", "MODEL")]
    assert [qm.running.beside[name][22] for name in made if qm.running.beside[name]] == [4]
    assert verbs.close(program.hconn, hobj, 0).reason == MQRC.NONE
    assert not [name for name in qm.running.beside if name is not None and name.startswith("AMQ")]


def test_what_is_kept_about_a_dynamic_queue_goes_with_it(qm: QueueManager, program: Program) -> None:
    program.open("SYSTEM.DEFAULT.MODEL.QUEUE", MQOO.INPUT_SHARED)
    (made,) = set(qm.running.beside) - {None, "Q"}
    assert qm.running.state.is_defined(str(made))
    verbs.disconnect(program.hconn)
    assert made not in qm.running.beside


def test_nothing_is_sent_ahead(qm: QueueManager, program: Program) -> None:
    hobj = program.open("Q", AHEAD)
    assert reasons(program, hobj, PLAIN) == [MQRC.NONE]
    assert qm.depth("Q") == 4
    assert verbs.close(program.hconn, hobj, MQCO.QUIESCE).comp_code == MQCC.OK
    again = program.open("Q", AHEAD)
    assert reasons(program, again, PLAIN | MQGMO.CONVERT) == [MQRC.NONE]
