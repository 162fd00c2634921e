"""Attributes: their names are those of MQINQ's documentation, and each is acted on, warned of, or on the page."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from typing import Any

import pytest

from oracle.errors import BadInputError
from oracle.mqi.constants import MQCC, MQOO, MQPMO, MQRC
from oracle.standin import attribute_verbs, verbs
from oracle.standin.attribute_tables import MANAGER, QUEUES, Attribute
from oracle.standin.attributes import DEFINED_SELECTORS, EVERY
from oracle.standin.warning import StandInWarning
from oracle.testing import QueueManager, queue_manager
from tests.standin.conftest import Program

PAGE = Path(__file__).parents[2] / "docs" / "unit-tests.md"
NOTED = " ".join(line.split("|")[1] for line in PAGE.read_text().splitlines() if line.startswith("|"))
"""The first cells of the rows on the page."""
TABLES = {**QUEUES, "queue manager": MANAGER}
ROWS = [(owner, each) for owner, table in TABLES.items() for each in table]


def inquired(program: Program, name: str, selector: int) -> int | bytes:
    hobj = program.open(name, MQOO.INQUIRE)
    answer = attribute_verbs.inquire(program.hconn, hobj, [selector], 1, 300)
    assert (answer.comp_code, answer.reason) == (MQCC.OK, MQRC.NONE)
    return answer.characters.rstrip(b" ") if EVERY[selector].length else answer.numbers[0]


@pytest.mark.parametrize("owner", TABLES)
def test_no_name_and_no_selector_stands_for_two(owner: str) -> None:
    table = TABLES[owner]
    assert len({each.name for each in table}) == len({each.selector for each in table}) == len(table)


@pytest.mark.parametrize(("owner", "each"), ROWS)
def test_each_has_an_effect_or_a_warning_or_a_line(owner: str, each: Attribute) -> None:
    does_something = each.in_model is not None or each.acts or each.fixed
    assert does_something or each.would or f"`{each.name}`" in NOTED, f"{each.name} of a {owner}"


def test_selectors_and_lengths_are_those_of_the_client() -> None:
    client = pytest.importorskip("ibmmq")
    header = vars(client.CMQC)
    selectors = {
        value for name, value in header.items() if name.startswith(("MQIA_", "MQCA_")) and isinstance(value, int)
    }
    assert set(EVERY) <= selectors
    bounds = {header[f"MQ{kind}A_{end}"] for kind in "IC" for end in ("FIRST", "LAST", "USER_LIST")}
    assert selectors - bounds <= DEFINED_SELECTORS
    assert max(each for each in DEFINED_SELECTORS if each < 2001) == header["MQIA_LAST_USED"]
    assert max(DEFINED_SELECTORS) == header["MQCA_LAST_USED"]
    lengths = importlib.import_module("mqinq").mqAttrLength
    mine = {selector: each.length for selector, each in EVERY.items() if each.length and selector in lengths}
    assert mine
    assert mine == {selector: lengths[selector] for selector in mine}


@pytest.mark.parametrize(
    ("owner", "each"), [(owner, each) for owner, each in ROWS if each.would and each.in_model is None]
)
def test_what_a_queue_manager_would_act_on_is_warned_of(owner: str, each: Attribute) -> None:
    value = "OTHER" if each.length else max(each.values or (7,))
    told = f"{each.name} of .* no effect on the stand-in: {each.would}"
    with queue_manager(["Q"]) as qm, pytest.warns(StandInWarning, match=told):
        _give(qm, owner, each.name, value)
    with warnings.catch_warnings(), queue_manager(["Q"]) as qm:
        warnings.simplefilter("error")
        _give(qm, owner, each.name, each.default)


def _give(qm: QueueManager, owner: str, name: str, value: object) -> None:
    """Give an attribute to a new queue of a type, or to the queue manager."""
    more = {"alias": {"BaseQName": "Q"}, "remote": {"RemoteQName": "R", "RemoteQMgrName": "QM2"}}
    if owner == "queue manager":
        qm.alter(None, **{name: value})
    else:
        qm.define("NEW", QType=owner, **more.get(owner, {}), **{name: value})


def test_attributes_by_the_names_of_mqinq(qm: QueueManager, program: Program) -> None:
    qm.define("XMIT", Usage=1, MsgDeliverySequence=1, CapExpiry=50, BackoutRequeueQName="Q", QDepthHighLimit=90)
    qm.define("ALIAS", QType=3, BaseQName="XMIT")
    qm.define("REMOTE", QType="remote", RemoteQName="THERE", RemoteQMgrName="QM2", XmitQName="XMIT")
    qm.alter(None, MsgMarkBrowseInterval=7, QMgrDesc="described")
    assert [inquired(program, "XMIT", each) for each in (12, 16, 276, 2019, 40)] == [1, 1, 50, b"Q", 90]
    assert inquired(program, "ALIAS", 2002) == b"XMIT"
    assert [inquired(program, "REMOTE", each) for each in (2018, 2017, 2024)] == [b"THERE", b"QM2", b"XMIT"]
    assert qm.running.state.definition.mark_browse_interval == 7
    assert qm.running.beside[None][2014] == "described"


def test_queues_and_queue_managers_by_these_names() -> None:
    queues: list[dict[str, Any]] = [{"QName": "Q", "DefReadAhead": 1}]
    queues.append({"QName": "A", "QType": "alias", "BaseQName": "Q"})
    with queue_manager(queues, QMgrDesc="described", MsgMarkBrowseInterval=7) as qm:
        assert qm.depth("Q") == 0
        assert qm.running.beside == {None: {2014: "described"}, "Q": {188: 1}, "A": {}}


@pytest.mark.parametrize(
    ("attributes", "told"),
    [
        ({"BackoutTreshold": 3}, "a queue has no attribute 'BackoutTreshold'; .*do you mean BackoutThreshold"),
        ({"type": "alias", "target": "Q", "MaxQDepth": 1}, "an alias queue has no attribute 'MaxQDepth'"),
        ({"type": "remote", "rname": "R", "InhibitGet": 1}, "a remote queue has no attribute 'InhibitGet'"),
        ({"type": "remote", "rname": "R", "BackoutThreshold": 1}, "no attribute 'BackoutThreshold'"),
        ({"CurrentQDepth": 5}, "a queue has no attribute 'CurrentQDepth'"),
        ({"BackoutThreshold": "three"}, "BackoutThreshold must be a whole number of 32 bits, not 'three'"),
        ({"BackoutThreshold": True}, "BackoutThreshold must be a whole number of 32 bits, not True"),
        ({"DefReadAhead": 9}, "DefReadAhead must be one of 0, 1, 2, not 9"),
        ({"QDesc": "x" * 65}, "QDesc must be a text of at most 64 characters"),
        ({"QType": "cluster"}, "the type of a queue must be one of local, model, alias, remote, not 'cluster'"),
        ({"MsgDeliverySequence": 7}, "attribute MsgDeliverySequence of NEW"),
    ],
)
def test_what_cannot_be_is_refused(qm: QueueManager, attributes: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInputError, match=told):
        qm.define("NEW", **attributes)
    assert not qm.running.state.is_defined("NEW")


def test_what_cannot_be_changed(qm: QueueManager) -> None:
    for wrong in ({"type": "alias"}, {"QType": 3}, {"name": "R"}, {"QName": "R"}):
        with pytest.raises(BadInputError, match="cannot be changed"):
            qm.alter("Q", **wrong)
    with pytest.raises(BadInputError, match="a queue manager has no attribute 'CommandLevel'"):
        qm.alter(None, CommandLevel=800)


def test_a_cap_on_expiry_in_custom(qm: QueueManager, program: Program) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        qm.define("CAPPED", Custom="CAPEXPRY(50)")
    qm.put("CAPPED", b"fleeting")
    qm.advance(seconds=6)
    assert qm.messages("CAPPED") == []
    assert [inquired(program, "CAPPED", each) for each in (276, 2119)] == [50, b"CAPEXPRY(50)"]
    with pytest.warns(StandInWarning, match="Custom of CAPPED"):
        qm.alter("CAPPED", Custom="CAPEXPRY(70) MORE(1)")
    assert inquired(program, "CAPPED", 276) == 70


def test_a_queue_that_opens_exclusively_by_default(qm: QueueManager, program: Program) -> None:
    qm.define("ALIAS", type="alias", BaseQName="Q")
    for default, reason in ((2, MQRC.NONE), (4, MQRC.OBJECT_IN_USE)):
        qm.alter("Q", DefInputOpenOption=default)
        for name in ("Q", "ALIAS"):
            first = program.open(name, MQOO.INPUT_AS_Q_DEF)
            second = program.open("Q", MQOO.INPUT_SHARED)
            assert program.last.reason == reason
            for hobj in (first, second):
                verbs.close(program.hconn, hobj, 0)


def test_a_queue_whose_puts_are_asynchronous_by_default(qm: QueueManager, program: Program) -> None:
    qm.alter("Q", DefPutResponse=2)
    hobj = program.open("Q", MQOO.OUTPUT)
    with pytest.warns(StandInWarning, match="MQPMO_ASYNC_RESPONSE has no effect"):
        program.put(hobj, b"")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program.put(hobj, b"", {"Options": MQPMO.SYNC_RESPONSE})
    assert qm.depth("Q") == 2


def test_distribution_lists_are_set_and_kept(program: Program) -> None:
    hobj = program.open("Q", MQOO.SET | MQOO.INQUIRE)
    assert attribute_verbs.set_attributes(program.hconn, hobj, [34], [1], b"").reason == MQRC.NONE
    assert inquired(program, "Q", 34) == 1
    assert attribute_verbs.set_attributes(program.hconn, hobj, [22], [1], b"").reason == MQRC.SELECTOR_ERROR


def test_an_attribute_that_the_stand_in_does_not_know_is_named(program: Program) -> None:
    hobj = program.open("Q", MQOO.INQUIRE)
    with pytest.warns(StandInWarning, match="does not know the attribute 2004 of IBM MQ"):
        answer = attribute_verbs.inquire(program.hconn, hobj, [2004], 0, 12)
    assert answer.reason == MQRC.SELECTOR_ERROR
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert attribute_verbs.inquire(program.hconn, hobj, [1999], 1, 0).reason == MQRC.SELECTOR_ERROR
