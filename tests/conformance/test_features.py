"""The features that a history needs."""

from __future__ import annotations

import pytest

from conformance.checks.examples import example_checks
from conformance.checks.features import (
    OF_AREAS,
    OF_ATTRIBUTES,
    OF_FLAGS,
    OF_MATCHES,
    OF_MEMBERS,
    OF_OPTIONS,
    OF_OUTPUTS,
    OF_VERBS,
    features_of,
)
from conformance.checks.scenarios import scenarios
from conformance.sessions.session import History, Setup
from oracle.histories.notation import HEADERS, parse
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, ObjectDescriptor
from oracle.protocol import FEATURES
from oracle.rules import catalogue

MORE_BY_HAND = {
    "conditions/default-puts-leave-their-group": {"syncpoint"},
    "group-status/inputs-do-not-leak": {"expiry", "groups", "segments"},
    "skip-backout/the-mark-is-on-one-segment-of-a-logical-message": {"groups"},
}
"""Scenarios that need more than their calls show: outputs of features that the calls do not use, and defaults."""


@pytest.mark.parametrize(
    ("steps", "features"),
    [
        ("h = open Q INPUT_SHARED+OUTPUT; put h m1; get h; close h", ()),
        ("put1 Q m1 Priority=3", ("priority", "put1")),
        ("h = open Q BROWSE; get h BROWSE_FIRST+LOCK", ("browse", "lock")),
        ("h = open Q OUTPUT; put h m1 MsgFlags=LAST_MSG_IN_GROUP+SEGMENT", ("groups", "segments")),
        ("h = open Q INPUT_SHARED; get h MatchOptions=MATCH_OFFSET Offset=2", ("match", "segments")),
        ("h = open Q OUTPUT; put h m1 CorrelId=c1", ()),
        ("h = open Q INPUT_SHARED; get h CorrelId=c1", ("match",)),
        ("h = open Q INPUT_SHARED; get h SYNCPOINT+MARK_SKIP_BACKOUT", ("syncpoint", "skip-backout")),
        ("back", ("syncpoint",)),
        ("alter Q InhibitGet=1", ("inhibit",)),
        ("h = open Q INPUT_SHARED; get h BufferLength=1", ("truncation",)),
        ("h = open XQ OUTPUT; put h m1 MQXQH.MsgDesc.Expiry=9", ("transmission",)),
        ("h = open Q INPUT_SHARED; get h -> OK MQTM.QName=Q", ("trigger",)),
    ],
)
def test_the_calls_tell_which_features_are_needed(steps: str, features: tuple[str, ...]) -> None:
    assert features_of(History(Setup(), parse(steps))) == features


@pytest.mark.parametrize(
    ("queue", "qmgr", "features"),
    [
        ({"MsgDeliverySequence": "FIFO"}, {}, ("fifo",)),
        ({"MsgDeliverySequence": "PRIORITY"}, {}, ()),
        ({"type": "model"}, {}, ("dynamic-queues",)),
        ({"MaxQDepth": 3}, {"DeadLetterQName": "DLQ"}, ("dead-letter", "limits")),
    ],
)
def test_the_queue_manager_tells_too(queue: dict[str, object], qmgr: dict[str, object], features: tuple[str]) -> None:
    setup = Setup(({"name": "Q", **queue},), qmgr)
    assert set(features_of(History(setup, ()))) == set(features)


def test_the_rules_tell_what_no_call_names() -> None:
    history = History(Setup(), parse("h = open Q INPUT_SHARED+OUTPUT; put h m1; get h"))
    assert features_of(history, ["PRI-02"]) == ("priority",)


def test_no_scenario_demands_more_than_the_tables_tell() -> None:
    for scenario in scenarios():
        more = set(scenario.features).difference(features_of(scenario.history(), scenario.rules))
        assert more == MORE_BY_HAND.get(scenario.id, set()), scenario.id


def test_every_word_of_the_tables_exists() -> None:
    told = {feature for features in OF_VERBS.values() for feature in features}
    told |= {feature for rows in (*OF_OPTIONS.values(), OF_FLAGS, OF_MATCHES) for _, feature in rows}
    told |= {feature for table in OF_MEMBERS.values() for feature in table.values()}
    told |= {*OF_ATTRIBUTES.values(), *OF_AREAS.values(), *OF_OUTPUTS.values()}
    assert told < set(FEATURES)
    assert set(OF_AREAS) < set(catalogue.areas())
    structures = (MessageDescriptor(), GetMessageOptions(), ObjectDescriptor())
    members = {c_name for structure in structures for c_name in structure.c_names().values()}
    named = {name for table in (*OF_MEMBERS.values(), OF_OUTPUTS) for name in table}
    assert named <= members | set(HEADERS) | {"BufferLength"}
    known = {
        *define(QueueDefinition, {"name": "Q"}).attributes(),
        *define(QueueManagerDefinition, {}).attributes(),
    }
    assert set(OF_ATTRIBUTES) <= known


def test_every_example_says_which_features_it_needs() -> None:
    needed = {feature for check in example_checks() for feature in check.features}
    assert set(FEATURES) == needed
