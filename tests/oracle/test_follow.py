"""The follower of a queue manager: conforming replies are accepted, departing ones are explained by the broken rule."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from oracle.histories.history import Bindings, observed_of, with_connections
from oracle.histories.notation import Line, parse
from oracle.judging import effort
from oracle.judging.follow import Followed, Follower, TooManyStatesError
from oracle.model.queue_manager import new_state, outcomes
from oracle.model.step import MOST_ANSWERS
from oracle.mqi import calls
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.mqi.profile import PlatformName, Profile
from oracle.protocol import ObservedReply
from oracle.protocol.setup import state_of_setup
from oracle.replay.history import replay_history

START = """
h = open Q BROWSE+INPUT_SHARED+OUTPUT+INQUIRE
g = B.open Q BROWSE+INPUT_SHARED
"""

GROUP = "put h one MsgFlags=MSG_IN_GROUP LOGICAL_ORDER; put h two MsgFlags=LAST_MSG_IN_GROUP LOGICAL_ORDER;"


class Session:
    """A queue manager that conforms until a test changes its reply."""

    def __init__(
        self,
        text: str = "",
        *,
        start: str = START,
        queues: Iterable[Mapping[str, Any]] = ({"name": "Q"},),
        qmgr: Mapping[str, Any] | None = None,
        platform: PlatformName = "distributed",
    ) -> None:
        self.state = new_state(
            [define(QueueDefinition, queue) for queue in queues],
            define(QueueManagerDefinition, qmgr or {}),
            Profile(platform=platform),
        )
        self.bindings = Bindings()
        self.follower = Follower(self.state, names=self.bindings.names)
        self.count = 0
        self.last: Followed | None = None
        self.run(start + text)

    def run(self, text: str) -> Followed:
        """Carry out lines as a conforming queue manager would."""
        for line in with_connections(parse(text)) if self.count == 0 else parse(text):
            self.count += 1
            call = self.bindings.call(line, self.count)
            outcome = next(outcomes(self.state, call))
            observed = observed_of(outcome.reply, {done.identity: done.reply for done in outcome.completed})
            self.bindings.bind(line, call, observed)
            self.state = outcome.state
            self.last = self.follower.follow(call, observed)
            assert self.last.departure is None
        assert self.last is not None
        return self.last

    def instead(self, text: str, reply: ObservedReply | None = None, **members: Any) -> Followed:
        """Follow one more call with another reply than the model's, or with other members."""
        (line,) = parse(text)
        call = self._next(line)
        if reply is None:
            observed = self._reply(call)
            changed = {name.replace("__", "."): value for name, value in members.items()}
            reply = replace(observed, members={**observed.members, **changed})
        return self.follower.follow(call, reply)

    def on(self, text: str, reply: ObservedReply | None = None, **members: Any) -> Followed:
        """Follow a call as `instead` does, and go on from what the queue manager did."""
        (line,) = parse(text)
        call = self._next(line)
        changed = {name.replace("__", "."): value for name, value in members.items()}
        observed = reply or self._reply(call)
        return self.follower.follow_on(call, replace(observed, members={**observed.members, **changed}))

    def warning(self, text: str, reason: int) -> Followed:
        """Follow one more call whose reply is the model's, but warns."""
        (line,) = parse(text)
        call = self._next(line)
        return self.follower.follow(call, replace(self._reply(call), comp_code=1, reason=reason))

    def _next(self, line: Line) -> calls.Call:
        self.count += 1
        return self.bindings.call(line, self.count)

    def _reply(self, call: calls.Call) -> ObservedReply:
        return observed_of(next(outcomes(self.state, call)).reply)

    def reply(self, text: str) -> ObservedReply:
        """Return the reply of a conforming queue manager to one more call, without carrying it out."""
        (line,) = parse(text)
        return self._reply(self._next(line))

    def message(self, name: str) -> ObservedReply:
        """Return the reply of an MQGET that returns a message of the history, as it was put."""
        put = self.bindings.messages[name]
        members = {f"MQMD.{member}": value for member, value in put.items() if member != "data"}
        return ObservedReply(members={**members, "data": put["data"], "DataLength": len(put["data"])})


FAILED_2033 = ObservedReply(2, 2033)


@pytest.mark.parametrize(
    ("history", "call", "returned", "rule"),
    [
        ("put h low Priority=1; put h high Priority=5", "get g", "low", "PRI-03"),
        ("put h one; put h two", "get g", "two", "PRI-03"),
        ("put h m SYNCPOINT", "get g", "m", "VIS-01"),
        ("put h m; get h BROWSE_FIRST+LOCK", "get g", "m", "LCK-01"),
        ("put h m; get h SYNCPOINT", "get g", "m", "SYN-01"),
        ("put h m; get h NO_SYNCPOINT", "get g", "m", "SYN-08"),
        ("put h m Expiry=10; advance 9s", "get g", "m", "EXP-09"),
        ("put h one; put h two", "get g MatchOptions=MATCH_MSG_ID MsgId=@two", "one", "MTC-18"),
        ("put h one; put h two; get g BROWSE_FIRST", "get g BROWSE_NEXT", "one", "BRW-05"),
        (GROUP + "put h other; get g LOGICAL_ORDER", "get g LOGICAL_ORDER", "other", "LOG-17"),
    ],
)
def test_a_message_that_must_not_come_back_names_the_rule(history: str, call: str, returned: str, rule: str) -> None:
    session = Session(history)
    departure = session.instead(call, session.message(returned)).departure
    assert departure is not None
    assert rule in departure.rules[:2]
    assert departure.sentence.startswith("MQGET returned message")


@pytest.mark.parametrize(
    ("history", "call", "rule"),
    [
        ("put h m; get h BROWSE_FIRST+LOCK; get h UNLOCK", "get g", "LCK-15"),
        ("put h m; get h SYNCPOINT; back", "get g", "SYN-03"),
        ("put h m SYNCPOINT; cmit", "get g", "UOW-01"),
        ("put h m; get h BROWSE_FIRST+LOCK; close h", "get g", "LCK-16"),
        ("put h m; get h SYNCPOINT; fail A", "get g", "CON-05"),
    ],
)
def test_a_message_that_is_missed_names_the_call_that_made_it_available(history: str, call: str, rule: str) -> None:
    departure = Session(history).instead(call, FAILED_2033).departure
    assert departure is not None
    assert rule in departure.rules[: departure.rules.index("DLV-05")]
    assert "found nothing although" in departure.sentence


@pytest.mark.parametrize(
    ("history", "rule"),
    [
        ("put h m; get h BROWSE_FIRST+LOCK BufferLength=0", "LCK-08"),
        ("put h m Persistence=1; get h SYNCPOINT_IF_PERSISTENT; back", "SIP-01"),
        ("put h m Persistence=1; get h SYNCPOINT_IF_PERSISTENT; fail A", "SIP-01"),
    ],
)
def test_a_departure_names_the_rules_of_the_call_before_whose_effect_may_show_only_now(history: str, rule: str) -> None:
    departure = Session(history).instead("get g", FAILED_2033).departure
    assert departure is not None
    assert rule in departure.before


def test_a_departure_of_the_first_call_has_no_call_before_it() -> None:
    departure = Follower(new_state([])).follow(calls.Connect("A"), ObservedReply(2, 2018)).departure
    assert departure is not None
    assert departure.before == ()


def test_the_rules_that_every_get_rests_on_are_named_last() -> None:
    departure = Session("put h m; get h BROWSE_FIRST+LOCK; get h UNLOCK").instead("get g", FAILED_2033).departure
    assert departure is not None
    assert departure.rules.index("LCK-15") < departure.rules.index("TRM-01")
    assert len(departure.rules) == len(set(departure.rules))


def test_a_second_unlock_that_succeeds_leads_back_to_the_first() -> None:
    session = Session("put h m; get h BROWSE_FIRST+LOCK; get h UNLOCK")
    departure = session.instead("get h UNLOCK", ObservedReply()).departure
    assert departure is not None
    assert departure.rules[:2] == ("LCK-17", "LCK-15")


def test_a_message_from_nowhere_is_no_message_of_the_queue() -> None:
    invented = ObservedReply(members={"MQMD.MsgId": b"\xab" * 24, "data": b"", "DataLength": 0})
    departure = Session().instead("get g", invented).departure
    assert departure is not None
    assert departure.rules[0] == "DLV-01"


@pytest.mark.parametrize(
    ("member", "value", "rule"),
    [
        ("MQMD__BackoutCount", 5, "BOC-01"),
        ("MQMD__Priority", 4, "PRI-02"),
        ("MQMD__Expiry", 0, "EXP-07"),
        ("MQMD__Expiry", 101, "EXP-07"),
        ("MQGMO__GroupStatus", "G", "GST-01"),
        ("data", b"n", "DLV-04"),
        ("DataLength", 7, "TRN-06"),
    ],
)
def test_a_wrong_output_is_named_with_its_rule(member: str, value: object, rule: str) -> None:
    changed: dict[str, Any] = {member: value}
    followed = Session("put h m Expiry=100").instead("get g", **changed)
    assert followed.departure is not None
    assert rule in followed.departure.rules
    assert member.replace("__", ".") in str(followed.departure.differences[0])


@pytest.mark.parametrize(("expiry", "first"), [(101, "EXP-07"), (0, "EXP-10")])
def test_a_rule_about_some_values_only_is_not_blamed_for_others(expiry: int, first: str) -> None:
    departure = Session("put h m Expiry=100").instead("get g", MQMD__Expiry=expiry).departure
    assert departure is not None
    assert ("EXP-10" in departure.differences[0].rules) == (first == "EXP-10")
    assert first in departure.rules[:2]


@pytest.mark.parametrize(("options", "blamed"), [("", False), (" ACCEPT_TRUNCATED_MSG BufferLength=1", True)])
def test_a_rule_about_truncation_is_not_blamed_for_what_fits(options: str, blamed: bool) -> None:
    departure = Session("put h mm").instead(f"get g{options}", data=b"x").departure
    assert departure is not None
    assert ("TRN-01" in departure.rules) == blamed


def test_what_a_put_uses_is_blamed_on_its_row_of_the_put_table() -> None:
    departure = Session(GROUP).instead("put h m GroupId=aa", MQMD__GroupId=b"\xaa" + bytes(23)).departure
    assert departure is not None
    assert departure.rules[0] == "PTB-08"


def test_the_end_of_a_waiting_call_tells_more_than_the_call_before() -> None:
    session = Session("conn C; k = C.open Q INPUT_SHARED; w = get g WAIT WaitInterval=1000 -> pending")
    session.run("v = get k WAIT WaitInterval=1000 -> pending; put h m")
    departure = session.instead("advance 2s", ObservedReply()).departure
    assert departure is not None
    assert departure.rules[0].startswith("WAI-")


def test_the_first_member_that_differs_tells_more_than_the_others() -> None:
    departure = Session("put h m").instead("get g", MQMD__Priority=4, data=b"", DataLength=7).departure
    assert departure is not None
    assert departure.differences[0].member == "MQMD.Priority"
    assert departure.rules[0] == "PRI-02"
    assert "TRN-06" in departure.rules


def test_what_is_missed_after_another_get_may_have_been_lost_by_that() -> None:
    lost = Session("put h m; get h BufferLength=0").instead("get h", ObservedReply(2, 2033)).departure
    missed = Session("put h m; put h n").instead("get h", ObservedReply(2, 2033)).departure
    assert lost is not None
    assert missed is not None
    assert lost.rules.index("TRN-05") < lost.rules.index("DLV-05")
    assert missed.rules[0] == "DLV-05"


def test_outputs_within_their_latitude_conform() -> None:
    session = Session("put h m Expiry=100; advance 2s")
    followed = session.instead("get g", MQMD__Expiry=88, MQMD__UserIdentifier="mqm", MQGMO__ReturnedLength=-1)
    assert followed.departure is None


def test_a_generated_identifier_must_be_new_and_not_null() -> None:
    session = Session("put h one")
    used = session.bindings.messages["one"]["MsgId"]
    assert session.instead("put h two", MQMD__MsgId=b"AMQ" + bytes(range(21))).departure is None
    for bad in (used, bytes(24)):
        departure = session.instead("put h three", MQMD__MsgId=bad).departure
        assert departure is not None
        assert departure.rules[0] == "IDS-03"


def test_a_generated_group_identifier_is_not_taken_for_a_message_identifier() -> None:
    departure = Session().instead("put h m LOGICAL_ORDER MsgFlags=MSG_IN_GROUP", MQMD__GroupId=bytes(24)).departure
    assert departure is not None
    assert departure.differences[0].member == "MQMD.GroupId"
    assert departure.rules[0] == "PTB-05"


@pytest.mark.parametrize(
    ("line", "member", "rule"),
    [
        ("put h m NEW_MSG_ID MsgId=a1", "MQMD__MsgId", "IDS-03"),
        ("put h m NEW_CORREL_ID CorrelId=a1", "MQMD__CorrelId", "IDS-09"),
        ("put h m LOGICAL_ORDER MsgFlags=MSG_IN_GROUP GroupId=a1", "MQMD__GroupId", "PTB-05"),
    ],
)
def test_an_identifier_that_the_application_gave_is_not_a_new_one(line: str, member: str, rule: str) -> None:
    departure = Session().instead(line, None, **{member: b"\xa1".ljust(24, b"\0")}).departure
    assert departure is not None
    assert departure.rules[0] == rule
    assert Session().instead(line, None, **{member: b"\xa2".ljust(24, b"\0")}).departure is None


@pytest.mark.parametrize(
    ("line", "reason", "rule"),
    [
        ("put h m MsgType=65536", 2029, "PUT-10"),
        ("put h m GroupId=01 Offset=999999999 MsgFlags=SEGMENT", 2251, "PUT-18"),
        ("put h m SYNCPOINT", 2024, "UOW-07"),
    ],
)
def test_a_needless_failure_names_the_rule_that_says_when_a_call_fails_so(line: str, reason: int, rule: str) -> None:
    departure = Session().instead(line, ObservedReply(2, reason)).departure
    assert departure is not None
    assert rule in departure.rules


@pytest.mark.parametrize(
    ("line", "reason", "rule"),
    [
        ("get g CONVERT", 2120, "CVP-08"),
        ("get g", 2243, "CMP-15"),
        ("get g BROWSE_FIRST", 2244, "CMP-16"),
        ("put h n", 2104, "PUT-16"),
        ("close g", 2241, "PTB-17"),
    ],
)
def test_a_needless_warning_is_told_by_the_rule_that_says_when_a_call_warns_so(
    line: str, reason: int, rule: str
) -> None:
    departure = Session("put h m").warning(line, reason).departure
    assert departure is not None
    assert departure.rules[0] == rule


def test_any_reason_that_applies_is_accepted_and_no_other() -> None:
    for reason, conforms in ((2046, True), (2036, True), (2037, False), (2033, True), (0, False)):
        session = Session()
        session.run("p = B.open Q INPUT_SHARED")
        reply = ObservedReply(2 if reason else 0, reason)
        followed = session.instead("get p BROWSE_FIRST+SYNCPOINT", reply)
        assert (followed.departure is None) == conforms, reason


def test_a_waiting_call_must_end_when_its_message_arrives() -> None:
    session = Session()
    session.run("w = get g WAIT WaitInterval=5000 -> pending")
    (line,) = parse("put h m")
    call = session.bindings.call(line, 99)
    outcome = next(outcomes(session.state, call))
    silent = observed_of(outcome.reply)
    departure = session.follower.follow(call, silent).departure
    assert departure is not None
    assert "ACT-01" in departure.rules
    ended = observed_of(outcome.reply, {done.identity: done.reply for done in outcome.completed})
    assert session.follower.follow(call, ended).departure is None


def test_a_wait_must_not_end_early_nor_go_on_for_ever() -> None:
    for milliseconds, ends, conforms in (
        (1000, True, False),
        (1000, False, True),
        (9000, False, False),
        (9000, True, True),
    ):
        session = Session()
        session.run("w = get g WAIT WaitInterval=5000 -> pending")
        completed = {session.count: FAILED_2033} if ends else {}
        followed = session.follower.follow(calls.Advance(milliseconds), ObservedReply(completed=completed))
        assert (followed.departure is None) == conforms, (milliseconds, ends)


def test_hidden_choices_are_followed_to_where_they_show() -> None:
    session = Session("put h m Expiry=50; put h stays; advance 9s")
    deep, shallow = ({"values": {"CurrentQDepth": depth}} for depth in (2, 1))
    assert session.instead("inq h CurrentQDepth", ObservedReply(members=deep)).departure is None
    assert session.instead("inq h CurrentQDepth", ObservedReply(members=shallow)).departure is None
    back_again = session.instead("inq h CurrentQDepth", ObservedReply(members=deep)).departure
    assert back_again is not None, "a message that was discarded cannot count again"


def test_after_a_departure_the_follower_stays_where_it_was() -> None:
    session = Session("put h m")
    assert session.instead("get g", FAILED_2033).departure is not None
    assert session.instead("get g").departure is None


@pytest.mark.parametrize(
    ("line", "reply", "first"),
    [
        ("get h BROWSE_FIRST+NO_SYNCPOINT", ObservedReply(2, 2046), "SYN-10"),
        ("get h NO_SYNCPOINT+ACCEPT_TRUNCATED_MSG", ObservedReply(2, 2046), "OPT-02"),
        ("get h BufferLength=9", ObservedReply(1, 2080), "TRN-08"),
    ],
)
def test_a_reason_that_must_not_be_given_leads_to_the_rule_against_it(
    line: str, reply: ObservedReply, first: str
) -> None:
    departure = Session("put h m").instead(line, reply).departure
    assert departure is not None
    assert departure.rules[0] == first


def test_what_only_the_put_rests_on_is_said_last() -> None:
    departure = Session("put h m MsgId=aa").instead("get h", ObservedReply(2, 2033)).departure
    assert departure is not None
    assert departure.rules[0] == "DLV-05"
    assert departure.rules.index("PUT-24") > departure.rules.index("SYN-05")


def test_it_knows_the_open_questions_that_were_answered_otherwise() -> None:
    session = Session()
    put = session.bindings.call(parse("put h m1 Priority=-2 Expiry=0")[0], 9)
    first, other = list(outcomes(session.state, put))[:2]
    assert not session.follower.otherwise
    session.follower.follow(put, observed_of(other.reply, {}))
    assert [str(choice) for choice in session.follower.otherwise] == [
        "which of the reasons that apply is returned: 2013 EXPIRY_ERROR"
    ]
    session.follower.follow(put, observed_of(first.reply, {}))
    assert len(session.follower.otherwise) == 1


def test_an_answer_that_cannot_be_seen_yet_is_taken_for_the_first() -> None:
    late = "put h m1 Expiry=50; advance 5s"
    session = Session(late)
    assert not session.follower.otherwise
    get = session.bindings.call(parse("get h")[0], 9)
    returned = next(outcome for outcome in outcomes(session.state, get) if not outcome.reply.reason)
    session.follower.follow(get, observed_of(returned.reply, {}))
    assert [choice.rules for choice in session.follower.otherwise] == [("EXP-08",)]


def test_of_two_ways_to_the_same_state_the_plainer_one_counts() -> None:
    session = Session("put h m1; put h m2 SYNCPOINT")
    dead = next(outcomes(session.state, calls.Fail("A"))).state
    session.follower.add(dead, like=session.follower.states[0])
    session.follower.add(dead, like=session.follower.states[0])
    assert len(session.follower.states) == 2
    session.follower.follow(calls.Fail("A"), ObservedReply())
    assert len(session.follower.states) == 1
    assert not session.follower.otherwise


ON_ZOS: Any = {"queues": [{"name": "Q", "IndexType": "GROUP_ID"}], "platform": "zos"}


def test_a_putter_sees_all_its_uncommitted_messages_in_a_call_or_none() -> None:
    own = "put h m1 SYNCPOINT Expiry=50; put h m2 SYNCPOINT; put h m3 SYNCPOINT; advance 60s"
    session = Session(f"{own}; B.put1 Q m4 NO_SYNCPOINT")
    get = session.bindings.call(parse("get h SYNCPOINT")[0], 99)
    returned = [outcome.reply.data for outcome in outcomes(session.state, get)]
    assert list(dict.fromkeys(returned)) == [session.message(name).members["data"] for name in ("m2", "m4")]


def test_groups_of_low_priority_rank_higher_always_or_never() -> None:
    session = Session("", **ON_ZOS)
    for group in ("a1", "a2", "a3"):
        session.run(f"put h m{group} NO_SYNCPOINT MsgFlags=LAST_MSG_IN_GROUP GroupId={group}")
    assert len(session.follower.states) == 2
    ranks = [{message.rank for message in state.queues["Q"].messages} for state in session.follower.states]
    assert ranks == [{2}, {0}]


def test_a_call_with_too_many_outcomes_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session("put h m1 NO_SYNCPOINT; put h m2 NO_SYNCPOINT; put h m3 NO_SYNCPOINT", **ON_ZOS)
    monkeypatch.setattr(effort, "MAX_OUTCOMES", 2)
    with pytest.raises(TooManyStatesError, match="too many outcomes of one call"):
        session.instead("get h NO_SYNCPOINT")


def test_many_expired_messages_with_reports_are_undecided_at_once() -> None:
    expiring = "; ".join(f"put h m{number} NO_SYNCPOINT Expiry=50 Report=EXPIRATION ReplyToQ=R" for number in range(9))
    queues = ({"name": "Q"}, {"name": "R"})
    session = Session(f"{expiring}; advance 60s; put h last; get h CorrelId=c2", queues=queues, platform="zos")
    with pytest.raises(TooManyStatesError):
        session.instead("inq h CurrentQDepth")


def _of_each(count: int, line: str) -> str:
    return "; ".join(line.replace("#", str(number)) for number in range(count))


BROWSERS = "b# = W#.open Q BROWSE+CO_OP; w# = get b# BROWSE_FIRST+WAIT WaitInterval=5000 -> pending"
MARKING = BROWSERS.replace("WAIT", "WAIT+MARK_BROWSE_CO_OP")
GETTERS = "i# = W#.open Q INPUT_SHARED; w# = get i# WAIT WaitInterval=5000 -> pending"
SIGNALS = "i# = open Q INPUT_SHARED; get i# SET_SIGNAL WaitInterval=5000 -> 2070"
REPORTED = "put h m# NO_SYNCPOINT Expiry=50 Report=EXPIRATION ReplyToQ=R"
SCANNED = f"{_of_each(6, REPORTED)}; advance 60s; put h last NO_SYNCPOINT; get h NO_SYNCPOINT CorrelId=c2"
MORTAL = _of_each(100, "put h m# NO_SYNCPOINT Expiry=50")
GETTER = "g = G.open Q INPUT_SHARED; w = get g WAIT WaitInterval=5000 -> pending"


@pytest.mark.parametrize(
    ("steps", "call", "platform"),
    [
        (_of_each(8, MARKING), "put h m1 NO_SYNCPOINT", "distributed"),
        (f"{_of_each(12, BROWSERS)}; {GETTER}", "put h m1 NO_SYNCPOINT", "distributed"),
        (f"{_of_each(16, BROWSERS)}; {GETTER}", "put h m1 NO_SYNCPOINT", "distributed"),
        (_of_each(12, GETTERS), "advance 5s", "distributed"),
        (_of_each(12, SIGNALS), "put h m1 NO_SYNCPOINT", "zos"),
        (_of_each(16, SIGNALS), "put h m1 NO_SYNCPOINT", "zos"),
        (SCANNED, "inq h CurrentQDepth", "zos"),
        (f"{MORTAL}; advance 5s", "get h NO_SYNCPOINT", "zos"),
    ],
)
def test_a_follower_gives_up_soon_where_too_much_is_open(steps: str, call: str, platform: PlatformName) -> None:
    queues = ({"name": "Q", "IndexType": "GROUP_ID"}, {"name": "R"})
    session = Session(f"; {steps}", queues=queues, platform=platform)
    before = time.process_time()
    with pytest.raises(TooManyStatesError):
        session.run(call)
    assert time.process_time() - before < 4  # about one second, which tools that watch the program make longer


@pytest.mark.parametrize("steps", [_of_each(9, MARKING), f"{_of_each(13, BROWSERS)}; {GETTER}"])
def test_no_more_answers_are_made_than_anybody_can_follow(steps: str) -> None:
    session = Session(f"; {steps}")
    outcome = next(outcomes(session.state, session.bindings.call(parse("put h m1 NO_SYNCPOINT")[0], 99)))
    assert max(choice.answers for choice in outcome.choices) == MOST_ANSWERS
    assert len(outcome.completed) == steps.count("-> pending")  # what is plainest is still the first answer


@pytest.mark.parametrize(("left", "conforms"), [(0, True), (1, True), (2, True), (3, False)])
def test_where_the_order_is_open_a_get_may_have_met_any_expired_message(left: int, conforms: bool) -> None:
    expiring = "; ".join(f"put h m{number} NO_SYNCPOINT Expiry=50" for number in (1, 2))
    session = Session(f"{expiring}; put h m3 NO_SYNCPOINT; advance 60s; get h NO_SYNCPOINT -> m3", **ON_ZOS)
    departure = session.instead("inq h CurrentQDepth", values={"CurrentQDepth": left}).departure
    assert (departure is None) == conforms


def test_where_the_order_is_open_a_get_in_vain_has_met_every_expired_message() -> None:
    expiring = "; ".join(f"put h m{number} NO_SYNCPOINT Expiry=50" for number in (1, 2))
    session = Session(f"{expiring}; advance 60s; get h NO_SYNCPOINT -> 2033", **ON_ZOS)
    assert session.instead("inq h CurrentQDepth", values={"CurrentQDepth": 1}).departure is not None


@pytest.mark.parametrize("first", ["m1", "m2"])
def test_scans_of_zos_discard_in_any_order(first: str) -> None:
    queues = [{"name": "Q"}, {"name": "F"}, {"name": "R"}]
    start = "h = open Q OUTPUT; f = open F OUTPUT; r = open R INPUT_SHARED"
    put = "NO_SYNCPOINT Expiry=50 Report=EXPIRATION ReplyToQ=R CorrelId"
    session = Session(
        f"; put h m1 {put}=a1; put f m2 {put}=a2; advance 60s",
        start=start,
        queues=queues,
        qmgr={"ExpiryInterval": 30},
        platform="zos",
    )
    sent = session.bindings.messages[first]["MsgId"]
    report = session.bindings.call(parse("get r NO_SYNCPOINT")[0], 99)
    replies = [outcome.reply for outcome in outcomes(session.state, report)]
    assert any(reply.descriptor is not None and reply.descriptor.correl_id == sent for reply in replies)


SEEN_ALL = """
put h m4 NO_SYNCPOINT; put h m5 NO_SYNCPOINT; put h m6 NO_SYNCPOINT
get h BROWSE_NEXT -> m4; get h BROWSE_NEXT -> m5; get h BROWSE_NEXT -> m6
"""


def test_where_the_order_is_open_a_browse_may_wait_or_come_back_to_what_it_has_seen() -> None:
    for seen, conforms in (("pending", True), ("m4", True), ("m5", True), ("2033", False)):
        assert conforms_on_zos(f"{SEEN_ALL} w = get h BROWSE_NEXT+WAIT WaitInterval=1000 -> {seen}") == conforms, seen


@pytest.mark.parametrize("arrival", ["B.put1 Q m7 NO_SYNCPOINT", "B.put1 Q m7 NO_SYNCPOINT Priority=9", "back B"])
def test_where_the_order_is_open_an_arrival_may_end_the_wait_of_a_browse_or_not(arrival: str) -> None:
    taken = "put h m7 NO_SYNCPOINT; get g SYNCPOINT MatchOptions=MATCH_MSG_ID MsgId=@m7 -> m7;"
    before = f"{taken if arrival == 'back B' else ''} {SEEN_ALL}"
    waiting = f"{before} w = get h BROWSE_NEXT+WAIT WaitInterval=1000 -> pending; {arrival}"
    assert conforms_on_zos(f"{waiting} => w m7")
    assert conforms_on_zos(f"{waiting} => w pending; advance 5s => w 2033")


def conforms_on_zos(text: str) -> bool:
    state = state_of_setup({"queues": ON_ZOS["queues"]}, "zos")
    return not any(step.departs for step in replay_history(START + text, "history", state))
