"""The verbs of the MQI on structures as bytes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.mqi.connection_layouts import MQCNO
from oracle.mqi.constants import MQCC, MQCO, MQGMO, MQMO, MQOO, MQPMO, MQRC
from oracle.mqi.layouts import MQGMO as GMO
from oracle.mqi.layouts import MQMD, MQOD
from oracle.mqi.layouts import MQPMO as PMO
from oracle.standin import attribute_verbs, connections, verbs
from oracle.standin.warning import StandInWarning
from oracle.testing import QueueManager, queue_manager
from tests.standin.conftest import Program, pack, unpack

BOTH = MQOO.INPUT_SHARED | MQOO.OUTPUT


def test_a_message_goes_through_with_its_descriptor(program: Program) -> None:
    hobj = program.open("Q", BOTH)
    put = program.put(hobj, b"data", Format="MQSTR", Priority=3, ReplyToQ="BACK")
    assert program.get(hobj) == b"data"
    got = unpack(MQMD, program.last.md)
    assert (got["Format"], got["Priority"], got["ReplyToQ"], got["MsgId"]) == ("MQSTR", 3, "BACK", put["MsgId"])
    assert got["PutDate"] == "20240101"
    assert unpack(GMO, program.last.gmo)["ResolvedQName"] == "Q"


def test_a_put_leaves_what_it_takes_and_fills_in_who_put() -> None:
    with queue_manager([{"name": "Q", "DefPriority": 6, "DefPersistence": 1, "CAPEXPRY": 50}]):
        program = Program.connected()
        hobj = program.open("Q", BOTH)
        put = program.put(hobj, b"data", Expiry=900, UserIdentifier="SOMEBODY", PutApplName="else", Format="MQSTR")
        program.get(hobj)
        got = unpack(MQMD, program.last.md)
    assert (put["Priority"], put["Persistence"], put["Expiry"]) == (-1, 2, 900)
    assert (got["Priority"], got["Persistence"], got["Expiry"]) == (6, 1, 50)
    context = (
        "UserIdentifier",
        "AccountingToken",
        "ApplIdentityData",
        "PutApplType",
        "PutApplName",
        "PutDate",
        "PutTime",
    )
    assert {name: put[name] for name in context} == {name: got[name] for name in context}
    assert put["PutDate"] == "20240101"
    assert put["PutApplType"]
    assert (put["ReplyToQMgr"], put["CodedCharSetId"], put["MsgFlags"]) == ("", 0, 0)


def test_a_descriptor_that_is_used_again_asks_each_queue_for_its_default() -> None:
    queues = [{"name": "SLOW", "DefPriority": 1, "DefPersistence": 1}, {"name": "FAST", "DefPriority": 8}]
    with queue_manager(queues) as qm:
        program = Program.connected()
        md = pack(MQMD, Version=2)
        for name in ("SLOW", "FAST", "SLOW"):
            answer = verbs.put1(program.hconn, pack(MQOD, Version=4, ObjectName=name), md, pack(PMO, Version=3), b"")
            md = answer.md or b""
        kept = {
            name: [(m.descriptor.priority, m.descriptor.persistence) for m in qm.messages(name)]
            for name in ("SLOW", "FAST")
        }
    assert kept == {"SLOW": [(1, 1), (1, 1)], "FAST": [(8, 0)]}


@settings(max_examples=40)
@given(st.binary(max_size=200), st.integers(0, 9), st.binary(min_size=24, max_size=24).filter(any))
def test_what_is_put_is_got(data: bytes, priority: int, msg_id: bytes) -> None:
    with queue_manager(["Q"]):
        program = Program.connected()
        hobj = program.open("Q", BOTH)
        program.put(hobj, data, Priority=priority, MsgId=msg_id.hex())
        assert program.get(hobj) == data
        assert unpack(MQMD, program.last.md)["MsgId"] == msg_id.hex()
        assert unpack(MQMD, program.last.md)["Priority"] == priority


def test_structures_of_version_1_stay_what_they_are(program: Program) -> None:
    hobj = program.open("Q", BOTH)
    md, pmo, gmo = pack(MQMD, Version=1), pack(PMO, Version=1), pack(GMO, Version=1)
    answer = verbs.put(program.hconn, hobj, md, pmo, b"old")
    assert answer.comp_code == MQCC.OK
    assert len(answer.md or b"") == 324
    answer = verbs.get(program.hconn, hobj, md, gmo, 100)
    assert answer.data == b"old"
    assert (len(answer.md or b""), len(answer.gmo or b"")) == (324, 72)


def test_what_lies_behind_a_structure_is_not_touched(program: Program) -> None:
    hobj = program.open("Q", BOTH)
    behind = bytes(range(40))
    answer = verbs.put(program.hconn, hobj, pack(MQMD, Version=1) + behind, pack(PMO, Version=1), b"")
    assert (answer.md or b"")[324:] == behind


def test_a_truncated_message_stays_and_says_how_long_it_is(program: Program) -> None:
    hobj = program.open("Q", BOTH)
    program.put(hobj, b"0123456789")
    assert program.get(hobj, length=4) == b"0123"
    assert program.codes == (MQCC.WARNING, MQRC.TRUNCATED_MSG_FAILED)
    assert program.last.data_length == 10
    assert program.get(hobj) == b"0123456789"


def test_units_of_work_and_backout_counts(program: Program) -> None:
    hobj = program.open("Q", BOTH)
    program.put(hobj, b"x", {"Options": MQPMO.SYNCPOINT})
    assert verbs.commit(program.hconn).comp_code == MQCC.OK
    program.get(hobj, {"Options": MQGMO.SYNCPOINT})
    assert verbs.back(program.hconn).comp_code == MQCC.OK
    program.get(hobj, {"Options": MQGMO.SYNCPOINT})
    assert unpack(MQMD, program.last.md)["BackoutCount"] == 1


@pytest.mark.parametrize(
    ("bad", "reason"), [("md", MQRC.MD_ERROR), ("pmo", MQRC.PMO_ERROR), ("version", MQRC.MD_ERROR)]
)
def test_what_is_no_structure_is_refused(program: Program, bad: str, reason: int) -> None:
    hobj = program.open("Q", BOTH)
    md, pmo = pack(MQMD, Version=2), pack(PMO, Version=3)
    wrong = {"md": (b"XX  " + md[4:], pmo), "pmo": (md, pmo[:60]), "version": (pack(MQMD, Version=2)[:330], pmo)}
    answer = verbs.put(program.hconn, hobj, *wrong[bad], b"")
    assert (answer.comp_code, answer.reason) == (MQCC.FAILED, reason)


def test_handles_are_good_for_one_connection_only(program: Program) -> None:
    hobj = program.open("Q", BOTH)
    assert verbs.close(program.hconn, hobj, MQCO.NONE).comp_code == MQCC.OK
    assert verbs.close(program.hconn, hobj, MQCO.NONE).reason == MQRC.HOBJ_ERROR
    assert verbs.commit(program.hconn + 1000).reason == MQRC.HCONN_ERROR
    assert verbs.disconnect(program.hconn).comp_code == MQCC.OK
    assert verbs.commit(program.hconn).reason == MQRC.HCONN_ERROR


def test_connecting_again_without_sharing_returns_the_same_handle(program: Program) -> None:
    again = Program.connected()
    assert again.codes == (MQCC.WARNING, MQRC.ALREADY_CONNECTED)
    assert again.hconn == program.hconn
    shared = Program.connected(cno=pack(MQCNO, Version=1, Options=connections.SHARE_BLOCK))
    assert shared.codes == (MQCC.OK, MQRC.NONE)
    assert shared.hconn != program.hconn


def test_names_of_queue_managers(qm: QueueManager) -> None:
    assert Program.connected("").codes == (MQCC.OK, MQRC.NONE)
    assert Program.connected("QM2").codes == (MQCC.FAILED, MQRC.Q_MGR_NAME_ERROR)
    with queue_manager(name="QM2"):
        assert Program.connected("QM2").codes == (MQCC.OK, MQRC.NONE)


def test_without_a_queue_manager_there_is_none() -> None:
    assert Program.connected("").codes == (MQCC.FAILED, MQRC.Q_MGR_NOT_AVAILABLE)
    with queue_manager():
        handle = Program.connected().hconn
    assert verbs.commit(handle).reason == MQRC.HCONN_ERROR


def test_dynamic_queues_get_a_name(program: Program) -> None:
    program.open("SYSTEM.DEFAULT.MODEL.QUEUE", MQOO.INPUT_EXCLUSIVE, DynamicQName="REPLY.*")
    name = str(unpack(MQOD, program.last.od)["ObjectName"])
    assert name.startswith("REPLY.")
    assert unpack(MQOD, program.last.od)["ResolvedQName"] == name
    program.open("SYSTEM.DEFAULT.MODEL.QUEUE", MQOO.INPUT_EXCLUSIVE)
    assert str(unpack(MQOD, program.last.od)["ObjectName"]).startswith("AMQ.")


def test_a_handle_of_a_dynamic_queue_that_is_gone(program: Program) -> None:
    creator = program.open("SYSTEM.DEFAULT.MODEL.QUEUE", MQOO.OUTPUT)
    other = program.open(str(unpack(MQOD, program.last.od)["ObjectName"]), MQOO.INQUIRE | MQOO.OUTPUT)
    verbs.close(program.hconn, creator, MQCO.NONE)
    assert attribute_verbs.inquire(program.hconn, other, [15, 22], 2, 0).reason == MQRC.Q_DELETED
    program.put(other, b"")
    assert program.codes == (MQCC.FAILED, MQRC.Q_DELETED)


def test_put1_resolves_its_queue(program: Program) -> None:
    od = pack(MQOD, Version=3, ObjectName="Q")
    answer = verbs.put1(program.hconn, od, pack(MQMD, Version=2), pack(PMO, Version=2), b"one")
    assert answer.comp_code == MQCC.OK
    assert unpack(MQOD, answer.od)["ResolvedQMgrName"] == "QM1"
    assert program.get(program.open("Q", BOTH)) == b"one"
    failed = verbs.put1(program.hconn, od, pack(MQMD, Version=2, Priority=-5), pack(PMO, Version=2), b"")
    assert (failed.comp_code, failed.od) == (MQCC.FAILED, od)


@pytest.mark.parametrize(
    "members", [{"ObjectType": 8}, {"ObjectQMgrName": "ELSEWHERE"}, {"SelectionString.VSPtr": 1}, {"RecsPresent": 2}]
)
def test_what_the_model_has_not_is_refused_with_a_warning(program: Program, members: dict[str, int]) -> None:
    with pytest.warns(StandInWarning, match="2298"):
        program.open("Q", MQOO.OUTPUT, **members)
    assert program.codes == (MQCC.FAILED, MQRC.FUNCTION_NOT_SUPPORTED)


@pytest.mark.parametrize("number", [99, 1002])
def test_a_type_that_no_object_has_is_an_error(program: Program, number: int) -> None:
    program.open("Q", MQOO.OUTPUT, ObjectType=number)
    assert program.codes == (MQCC.FAILED, MQRC.OBJECT_TYPE_ERROR)


def test_a_type_of_object_that_is_not_modelled_is_named(program: Program) -> None:
    with pytest.warns(StandInWarning, match="objects of type PROCESS"):
        program.open("Q", MQOO.INQUIRE, ObjectType=3)


def test_attributes_of_queues_and_of_the_queue_manager(qm: QueueManager, program: Program) -> None:
    qm.define("D", MaxQDepth=7, BackoutThreshold=3, MsgDeliverySequence="FIFO")
    hobj = program.open("D", MQOO.INQUIRE | MQOO.OUTPUT)
    program.put(hobj, b"")
    answer = attribute_verbs.inquire(program.hconn, hobj, [15, 22, 16, 3, 2016], 4, 48)
    assert answer.numbers == (7, 3, 1, 1)
    assert answer.characters == b"D".ljust(48)
    hobj = program.open("", MQOO.INQUIRE, ObjectType=5)
    assert attribute_verbs.inquire(program.hconn, hobj, [2015, 32], 1, 48).characters.strip() == b"QM1"
    assert verbs.close(program.hconn, hobj, MQCO.NONE).comp_code == MQCC.OK


def test_inquiring_too_much_or_with_too_little_room(program: Program) -> None:
    hobj = program.open("Q", MQOO.INQUIRE)
    assert attribute_verbs.inquire(program.hconn, hobj, [99999], 1, 0).reason == MQRC.SELECTOR_ERROR
    assert attribute_verbs.inquire(program.hconn, hobj, [15, 13], 1, 0).reason == MQRC.INT_ATTR_COUNT_TOO_SMALL
    assert attribute_verbs.inquire(program.hconn, hobj, [2016], 0, 10).reason == MQRC.CHAR_ATTRS_TOO_SHORT
    hobj = program.open("Q", MQOO.OUTPUT)
    assert attribute_verbs.inquire(program.hconn, hobj, [22], 1, 0).reason == MQRC.NOT_OPEN_FOR_INQUIRE


def test_attributes_that_an_alias_lacks_are_a_warning(qm: QueueManager, program: Program) -> None:
    qm.define("A", type="alias", target="Q")
    answer = attribute_verbs.inquire(program.hconn, program.open("A", MQOO.INQUIRE), [15, 2002], 1, 48)
    assert (answer.comp_code, answer.reason) == (MQCC.WARNING, MQRC.SELECTOR_NOT_FOR_TYPE)
    assert answer.numbers == (-1,)
    assert answer.characters.strip() == b"Q"


def test_setting_attributes(program: Program) -> None:
    hobj = program.open("Q", MQOO.SET | MQOO.OUTPUT)
    assert attribute_verbs.set_attributes(program.hconn, hobj, [10], [1], b"").comp_code == MQCC.OK
    program.put(hobj, b"")
    assert program.codes == (MQCC.FAILED, MQRC.PUT_INHIBITED)
    assert attribute_verbs.set_attributes(program.hconn, hobj, [10], [], b"").reason == MQRC.INT_ATTR_COUNT_ERROR
    assert attribute_verbs.set_attributes(program.hconn, hobj, [22], [1], b"").reason == MQRC.SELECTOR_ERROR
    assert attribute_verbs.set_attributes(program.hconn, hobj, [10], [9], b"").reason == MQRC.INHIBIT_VALUE_ERROR


def test_only_those_with_credentials_get_in() -> None:
    with queue_manager(credentials={"app": "secret"}):
        assert Program.connected().codes == (MQCC.FAILED, MQRC.NOT_AUTHORIZED)
    with queue_manager(credentials={"app": "secret", "": ""}):
        assert Program.connected().codes == (MQCC.OK, MQRC.NONE)


def test_a_program_that_dies_backs_out_and_is_broken(qm: QueueManager, program: Program) -> None:
    hobj = program.open("Q", BOTH)
    program.put(hobj, b"never", {"Options": MQPMO.SYNCPOINT})
    connections.fail(program.hconn)
    assert qm.messages("Q") == []
    assert verbs.commit(program.hconn).reason == MQRC.CONNECTION_BROKEN


def test_browsing_with_a_lock(program: Program) -> None:
    hobj = program.open("Q", BOTH | MQOO.BROWSE)
    program.put(hobj, b"first")
    match = {"MatchOptions": MQMO.NONE}
    assert program.get(hobj, {"Options": MQGMO.BROWSE_FIRST | MQGMO.LOCK, **match}) == b"first"
    other = program.open("Q", BOTH)
    program.get(other, match)
    assert program.codes == (MQCC.FAILED, MQRC.NO_MSG_AVAILABLE)
    assert program.get(hobj, {"Options": MQGMO.MSG_UNDER_CURSOR, **match}) == b"first"
