"""A message channel as a step of each of two queue managers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from oracle.errors import BadInputError, NotModelledError
from oracle.model.queue_manager import new_state, outcomes
from oracle.model.state import State
from oracle.model.step import Outcome
from oracle.mqi.calls import Call, Deliver, Sent, Transmit
from oracle.mqi.constants import MQFMT, MQRC
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.mqi.layouts import MQDLH, MQXQH
from oracle.mqi.structures import MessageDescriptor
from oracle.protocol.requests import format_call
from tests.oracle.conftest import Play

NEAR: tuple[Mapping[str, Any], ...] = (
    {"name": "FAR", "type": "remote", "rname": "THERE", "rqmname": "QM2", "xmitq": "X"},
    {"name": "X", "Usage": "TRANSMISSION"},
    {"name": "DLQ"},
)


def far(*queues: Mapping[str, Any], **qmgr: Any) -> State:
    """Return the queue manager at the other end."""
    definitions = [define(QueueDefinition, queue) for queue in queues or ({"name": "THERE"},)]
    return new_state(definitions, define(QueueManagerDefinition, {"name": "QM2", **qmgr}))


def allowed(state: State, call: Call) -> list[Outcome]:
    return list(outcomes(state, call))


def sent_by(play: Play, text: str, **channel: Any) -> list[Outcome]:
    """Put by a history to a remote queue, and return what the channel may do next."""
    state = play(f"h = open FAR OUTPUT; {text}", queues=NEAR).state
    return allowed(state, Transmit("X", **channel))


def data_on(state: State, queue: str) -> list[bytes]:
    return [message.data for message in state.queues[queue].messages]


def first_sent(play: Play, text: str) -> Sent:
    return sent_by(play, text)[0].sent[0]


def test_a_message_arrives_as_it_was_put_without_the_header(play: Play) -> None:
    text = "put h m1 Priority=3 Persistence=1 CorrelId=c1 MsgFlags=LAST_MSG_IN_GROUP GroupId=e1 MsgSeqNumber=2"
    (left,) = sent_by(play, text)
    assert data_on(left.state, "X") == []
    (sent,) = left.sent
    assert sent.descriptor.format == MQFMT.XMIT_Q_HEADER
    (arrived,) = allowed(far(), Deliver(sent))
    (message,) = arrived.state.queues["THERE"].messages
    md = message.descriptor
    assert message.data == b"m1"
    assert (md.priority, md.persistence, md.correl_id[:1], md.format) == (3, 1, b"\xc1", "")
    assert (md.group_id[:1], md.msg_seq_number) == (b"\xe1", 2)
    assert md.msg_id == sent.descriptor.correl_id
    assert "XMQ-13" in arrived.rules


def test_time_on_the_transmission_queue_and_perhaps_in_transit_uses_up_the_expiry(play: Play) -> None:
    sent = first_sent(play, "put h m1 Expiry=600; advance 20s")
    assert sent.descriptor.expiry == 400
    assert MQXQH.decode(sent.data, "little")["MsgDesc.Expiry"] == 400
    arrived = allowed(far(), Deliver(sent, transit_ms=5000))
    lives = [message.descriptor.expiry for each in arrived for message in each.state.queues["THERE"].messages]
    assert sorted(lives) == [350, 400]


def test_what_has_expired_is_not_sent_or_does_not_arrive(play: Play) -> None:
    (left,) = sent_by(play, "put h m1 Expiry=50; advance 60s")
    assert left.sent == ()
    assert "EXP-16" in left.rules
    sent = first_sent(play, "put h m1 Expiry=600")
    for outcome in allowed(far(), Deliver(sent, transit_ms=90_000)):
        assert [message.descriptor.expiry for message in outcome.state.queues["THERE"].messages] in ([], [600])


def test_a_channel_does_not_see_an_uncommitted_put_and_sends_in_order(play: Play) -> None:
    (left,) = sent_by(play, "put h m1 SYNCPOINT")
    assert left.sent == ()
    left, *others = sent_by(play, "put h m1; put h m2 Priority=5")
    assert others == []
    assert left.sent[0].data[428:] == b"m2"


def test_a_fast_message_may_overtake_a_persistent_one_and_no_other(play: Play) -> None:
    text = "put h m1 Persistence=1; put h m2; put h m3"
    assert [each.sent[0].data[428:] for each in sent_by(play, text)] == [b"m1", b"m2"]
    assert [each.sent[0].data[428:] for each in sent_by(play, text, fast=False)] == [b"m1"]
    assert [each.sent[0].data[428:] for each in sent_by(play, "put h m2; put h m1 Persistence=1")] == [b"m2"]


def test_a_channel_that_fails_loses_fast_messages_alone(play: Play) -> None:
    fates = {
        (len(each.sent), len(data_on(each.state, "X"))) for each in sent_by(play, "put h m1 Persistence=0", fails=True)
    }
    assert fates == {(0, 1), (0, 0), (1, 0)}
    for channel in ({"fails": True, "fast": False}, {"fails": True}):
        (kept,) = sent_by(play, "put h m1 Persistence=1", **channel)
        assert (len(kept.sent), len(data_on(kept.state, "X"))) == (0, 1)
        assert "PER-08" in kept.rules


def test_a_message_above_the_limit_needs_ends_that_segment(play: Play) -> None:
    text = "put h m1 Length=1000"
    (whole,) = sent_by(play, text, max_msg_length=1000)
    assert len(whole.sent[0].data) == 1428
    (refused,) = {each.reply.reason for each in sent_by(play, text, max_msg_length=1000, segments=False)}
    assert refused == MQRC.MSG_TOO_BIG_FOR_CHANNEL
    (fits,) = sent_by(play, text, max_msg_length=1428, segments=False)
    assert fits.sent


def test_what_cannot_be_put_becomes_a_dead_letter_or_stays_with_the_sender(play: Play) -> None:
    sent = first_sent(play, "put h m1 Persistence=1")
    (dead,) = allowed(far({"name": "DLQ"}, DeadLetterQName="DLQ"), Deliver(sent))
    header = MQDLH.decode(data_on(dead.state, "DLQ")[0], "little")
    assert (header["Reason"], header["DestQName"]) == (MQRC.UNKNOWN_OBJECT_NAME, "THERE")
    (kept,) = allowed(far({"name": "Q"}), Deliver(sent))
    assert kept.reply.reason == MQRC.UNKNOWN_OBJECT_NAME
    fast = allowed(far({"name": "Q"}), Deliver(first_sent(play, "put h m1 Persistence=0")))
    assert {each.reply.reason for each in fast} == {MQRC.NONE, MQRC.UNKNOWN_OBJECT_NAME}


def test_a_message_that_arrives_ends_a_wait(play: Play) -> None:
    sent = first_sent(play, "put h m1")
    waiting = play(
        "g = open THERE INPUT_SHARED; w = get g WAIT WaitInterval=5000 -> pending", queues=[{"name": "THERE"}]
    )
    (arrived,) = allowed(waiting.state, Deliver(_for(sent, "QM1")))
    assert [done.reply.data for done in arrived.completed] == [b"m1"]


def _for(sent: Sent, manager: str) -> Sent:
    values = MQXQH.decode(sent.data, "little")
    return Sent(sent.descriptor, MQXQH.encode({**values, "RemoteQMgrName": manager}, "little") + sent.data[428:])


def test_what_is_no_message_of_a_channel_or_not_modelled_is_refused(play: Play) -> None:
    sent = first_sent(play, "put h m1")
    with pytest.raises(BadInputError, match="no transmission queue DLQ"):
        allowed(play("conn", queues=NEAR).state, Transmit("DLQ"))
    with pytest.raises(BadInputError, match="begins with an MQXQH"):
        allowed(far(), Deliver(Sent(MessageDescriptor(), b"m1")))
    with pytest.raises(NotModelledError, match="another queue manager"):
        allowed(far(name="QM3"), Deliver(sent))
    with pytest.raises(NotModelledError, match="conversion"):
        sent_by(play, "put h m1", convert=True)
    with pytest.raises(NotModelledError, match="no request"):
        format_call(Transmit("X"))
