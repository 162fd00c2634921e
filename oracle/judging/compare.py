"""The comparison of a target's reply with what the model allows, member by member.

Each difference names the rules that exclude the observed value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, Final

from oracle.judging.data_in_words import difference_in_words, rules_of_difference
from oracle.model.messages.messages import MessageKey
from oracle.model.reply import BytesLike, Latitude, Reply
from oracle.mqi.calls import Call, Get, MqiCall, Put, Put1
from oracle.mqi.constants import MQCC, MQEI, MQRC
from oracle.mqi.structures import GMO_SINCE_VERSION, MD_VERSION_2_MEMBERS, GetMessageOptions, MessageDescriptor
from oracle.mqi.without_outputs import WITHOUT_OUTPUTS
from oracle.protocol.replies import ObservedReply

CODES: Final = "CompCode and Reason"
"""The member of a difference between the codes with which a call ended."""

CALLS_END: Final = "the call's end"
"""The member of a difference if one of two replies is pending and the other is not."""

ENDED: Final = "ended"
"""The text that tells of a call that waited, if it ended with a call that must leave it waiting."""

PENDING: Final = "pending"
"""The text in place of the codes of a call that waits."""

LENGTHS: Final = ("DataLength", "MQGMO.ReturnedLength")
"""The outputs that count the bytes of the data."""

KEY_MEMBERS: Final = ("MQMD.MsgId", "MQMD.MsgSeqNumber", "MQMD.Offset")
"""The members that identify a message; see `key_of`."""

_MISSING: Final = object()
_INITIAL: Final = MessageDescriptor()
_C_NAMES: Final = MessageDescriptor.c_names()
_VERSION_2: Final = frozenset(f"MQMD.{_C_NAMES[name]}" for name in MD_VERSION_2_MEMBERS)
_MQMD: Final = {f"MQMD.{c_name}": name for name, c_name in _C_NAMES.items()}
_NEWEST_FIELD: Final = max(GMO_SINCE_VERSION.values())
_MQGMO: Final = {f"MQGMO.{c_name}": name for name, c_name in GetMessageOptions.c_names().items()}

PUT_RULES: Final[Mapping[str, tuple[str, ...]]] = {
    "MQMD.MsgId": ("IDS-02", "IDS-03", "IDS-01"),
    "MQMD.CorrelId": ("IDS-08", "IDS-09", "IDS-01"),
    "MQMD.GroupId": ("PUT-23",),
    "MQMD.MsgSeqNumber": ("PUT-23",),
    "MQMD.Offset": ("PUT-23",),
    "MQMD.MsgFlags": ("PUT-21",),
    "MQMD.Expiry": ("CAP-01", "PUT-23"),
    "MQMD.Priority": ("PRI-02", "PUT-23"),
    "MQMD.Persistence": ("PER-02", "PUT-23"),
    "MQMD.PutDate": ("PUT-24",),
    "MQMD.PutTime": ("PUT-24",),
}
"""The rules behind each output of a put."""

_PUT_NAMES: Final = tuple(name for name, c_name in _C_NAMES.items() if f"MQMD.{c_name}" in PUT_RULES)
_PUT_MEMBERS: Final = tuple(f"MQMD.{_C_NAMES[name]}" for name in _PUT_NAMES)
_put_members: Final = attrgetter(*_PUT_NAMES)

_AS_IT_WAS_PUT: Final = (
    "MQMD.Report",
    "MQMD.Feedback",
    "MQMD.ReplyToQ",
    "MQMD.ReplyToQMgr",
    "MQMD.UserIdentifier",
    "MQMD.AccountingToken",
    "MQMD.ApplIdentityData",
    "MQMD.PutApplType",
    "MQMD.PutApplName",
    "MQMD.ApplOriginData",
    "MQMD.OriginalLength",
)
"""The outputs of MQGET that are as they were put, unless a rule of their own is behind them."""

GET_RULES: Final[Mapping[str, tuple[str, ...]]] = {
    "MQMD.MsgId": ("MTC-09", "IDS-01"),
    "MQMD.CorrelId": ("MTC-09", "IDS-08", "IDS-01"),
    "MQMD.Expiry": ("EXP-07", "EXP-10"),
    "MQMD.Priority": ("PRI-02",),
    "MQMD.Persistence": ("PER-01", "PER-02"),
    "MQMD.BackoutCount": ("BOC-01", "BOC-03", "BOC-04", "BOC-02"),
    "MQMD.GroupId": ("MTC-09", "IDS-01"),
    "MQMD.MsgFlags": ("PUT-21",),
    "MQMD.PutDate": ("PUT-24",),
    "MQMD.PutTime": ("PUT-24",),
    "MQMD.MsgType": ("TYP-01",),
    "MQMD.Format": ("FMT-01",),
    "MQMD.Encoding": ("FMT-01", "CNV-07"),
    "MQMD.CodedCharSetId": ("FMT-01", "CNV-07"),
    "MQGMO.GroupStatus": ("GST-01",),
    "MQGMO.SegmentStatus": ("GST-02",),
    "MQGMO.Segmentation": ("GST-03",),
    "MQGMO.MsgToken": ("GST-05",),
    "MQGMO.ReturnedLength": ("TRN-09",),
    "MQGMO.ResolvedQName": ("GST-06",),
    "data": ("DLV-04", "TRN-01"),
    "DataLength": ("TRN-06", "DLV-04", "TRN-07"),
    **dict.fromkeys(_AS_IT_WAS_PUT, ("DLV-04",)),
}
"""The rules behind each output of MQGET."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A member whose observed value is not allowed."""

    member: str
    """Its name, as `MQMD.Priority`."""
    observed: object
    """Its value."""
    allowed: str
    """The allowed values, in words."""
    rules: tuple[str, ...]
    """The rules that say so."""
    waited: bool = False
    """Whether it is a member of an MQGET that waited and ended with the call."""
    in_words: str = ""
    """Where observed data depart, if they are too long to print; otherwise empty."""

    @property
    def of_wait(self) -> bool:
        """Whether it is the end of a call that waited, and not an output."""
        return self.member.startswith("the waiting call")

    def __str__(self) -> str:
        return expected_and_got(self.member, self.allowed, self.seen)

    @property
    def seen(self) -> str:
        """The observed value in words: a text of the project unchanged, a value of the target as `show` prints it."""
        ours = self.member in (CODES, CALLS_END) or self.of_wait
        return str(self.observed) if ours else self.in_words or show(self.observed)


def expected_and_got(member: str, allowed: str, observed: str) -> str:
    """Return the text for reports of what was expected and what came: `expected MQMD.Priority to be 0, got -1`."""
    if member in (CODES, CALLS_END):
        return f"expected {in_full(allowed)}, got {in_full(observed)}"
    return f"expected {member} to be {allowed}, got {observed}"


def in_full(codes: str) -> str:
    """Return `FAILED 2046 OPTIONS_ERROR` with the names of the C header: `MQCC_FAILED 2046 MQRC_OPTIONS_ERROR`.

    The reason 0 has no name beside it. A call that is pending has no codes: it waits.
    """
    if codes == PENDING:
        return "a call that waits"
    comp_code, _, reason = codes.partition(" ")
    number, _, name = reason.partition(" ")
    if not number.isdigit():
        return codes
    return f"MQCC_{comp_code} {number} MQRC_{name}" if int(number) and name else f"MQCC_{comp_code} {number}"


def show(value: object) -> str:
    """Return a value as reports print it: bytes as hexadecimal text, a missing value as such."""
    if value is None:
        return "missing"
    if isinstance(value, dict):
        return ", ".join(f"{name} {show(each)}" for name, each in value.items())
    return value.hex() if isinstance(value, bytes) else repr(value)


def differences(call: Call, reply: Reply, rules: tuple[str, ...], observed: ObservedReply) -> list[Difference]:
    """Return every difference between an observed reply and an allowed one.

    `rules` are those behind the allowed outcome. Completions of other calls are not compared here.
    """
    if not isinstance(call, MqiCall):
        return []
    codes = _code_differences(reply, rules, observed)
    if not codes and reply.reason == MQRC.SIGNAL_REQUEST_ACCEPTED:
        return list(_touched(call, observed))
    if codes or reply.pending or reply.comp_code == MQCC.FAILED or reply.reason in WITHOUT_OUTPUTS:
        return codes
    return sorted(_output_differences(call, reply, rules, observed), key=_counts_data)


def differences_of_waiting(
    call: Get, reply: Reply, rules: tuple[str, ...], observed: ObservedReply
) -> list[Difference]:
    """Return what `differences` returns, for an MQGET that waited and ended with another call."""
    return [replace(item, waited=True) for item in differences(call, reply, rules, observed)]


def every_difference(call: Call, reply: Reply, rules: tuple[str, ...], observed: ObservedReply) -> list[Difference]:
    """Return what `differences` returns and, after a wrong warning, also the differences in outputs."""
    found = differences(call, reply, rules, observed)
    codes = len(found) == 1 and found[0].member == CODES
    if not codes or not isinstance(call, MqiCall) or MQCC.FAILED in (reply.comp_code, observed.comp_code):
        return found
    if {reply.reason, observed.reason}.intersection(WITHOUT_OUTPUTS):
        return found
    return [*found, *sorted(_output_differences(call, reply, rules, observed), key=_counts_data)]


def rules_of_outputs(call: MqiCall, reply: Reply) -> frozenset[str]:
    """Return the rules behind the outputs that the call has with this reply."""
    if reply.pending or reply.comp_code == MQCC.FAILED or reply.reason in WITHOUT_OUTPUTS:
        return frozenset()
    members, usual = _outputs_of(call, reply)
    return usual.union(*[rules for member, rules in reply.behind.items() if member in members])


_of_shape: dict[tuple[object, ...], tuple[frozenset[str], frozenset[str]]] = {}
"""The results of `_outputs_of`, by everything that decides them: there are few shapes of replies."""


def _outputs_of(call: MqiCall, reply: Reply) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the outputs that the call must have, and the rules that are always behind them."""
    md, gmo = reply.descriptor, reply.options
    has = (reply.hobj is None, reply.object_name is None, reply.data is None, reply.values is None)
    shape = (type(call), None if md is None else md.version, None if gmo is None else gmo.version, has)
    found = _of_shape.get(shape)
    if found is None:
        usual = GET_RULES if isinstance(call, Get) else PUT_RULES
        members = frozenset(_expected(call, reply))
        found = members, frozenset(rule for member in members for rule in usual.get(member, ()))
        _of_shape[shape] = found
    return found


def _behind(call: MqiCall, reply: Reply) -> Mapping[str, tuple[str, ...]]:
    usual = GET_RULES if isinstance(call, Get) else PUT_RULES
    return {**usual, **{member: (*rules, *usual.get(member, ())) for member, rules in reply.behind.items()}}


def _code_differences(reply: Reply, rules: tuple[str, ...], observed: ObservedReply) -> list[Difference]:
    if reply.pending or observed.pending:
        if reply.pending == observed.pending:
            return []
        seen = PENDING if observed.pending else _codes(observed.comp_code, observed.reason)
        return [Difference(CALLS_END, seen, str(reply), rules)]
    if (reply.comp_code, reply.reason) == (observed.comp_code, observed.reason):
        return []
    return [Difference(CODES, _codes(observed.comp_code, observed.reason), str(reply), rules)]


def _touched(call: MqiCall, observed: ObservedReply) -> Iterator[Difference]:
    """Yield the outputs that a call has set although it must not change them (SIG-04)."""
    for member, seen in observed.members.items():
        passed = _as_passed(call, member)
        if seen != passed and not (passed is None and not seen):
            yield Difference(member, seen, f"unchanged ({show(passed)})", ("SIG-04",))


def _counts_data(item: Difference) -> bool:
    """Return whether a difference may follow from another in the data, which is then told first."""
    return item.member in LENGTHS


def _codes(comp_code: int, reason: int) -> str:
    return f"{MQCC.name_of(comp_code)} {MQRC.describe(reason)}"


def _output_differences(
    call: MqiCall, reply: Reply, rules: tuple[str, ...], observed: ObservedReply
) -> Iterator[Difference]:
    members, latitudes, expected = observed.members, reply.latitude, _expected(call, reply)
    alike = members.items() <= expected.items() if observed.partial else members == expected
    # Most replies have no difference, and that is asked fast.
    other = [] if alike else [item for item in expected.items() if members.get(item[0], _MISSING) != item[1]]
    for member, value in other:
        if member in observed.unasked:
            continue
        if member in members:
            seen = members[member]
        elif observed.partial:
            continue
        else:
            seen = _as_passed(call, member)
        latitude = latitudes.get(member)
        if not (seen == value if latitude is None else latitude.admits(seen)):
            leaked = ("GST-07",) if isinstance(call, Get) and _is_the_callers(call, member, seen) else ()
            behind = _telling(_behind(call, reply).get(member, rules), rules, value, latitude, seen)
            speaking = (rule for rule in behind if not _is_kept(rule, seen, rules))
            allowed, in_words = _in_words(value, latitude, seen)
            yield Difference(member, seen, allowed, (*speaking, *leaked), in_words=in_words)
    if isinstance(call, Get):
        yield from _beyond_version(call, observed)


def _is_kept(rule: str, seen: object, rules: tuple[str, ...]) -> bool:
    """Return whether a value keeps a rule that is about some values only, or about truncation, however wrong it is."""
    if rule == "EXP-10":
        return isinstance(seen, int) and (seen > 0 or seen == MQEI.UNLIMITED)
    return rule in ("TRN-01", "TRN-07") and rule not in rules


def _is_the_callers(call: Get, member: str, seen: object) -> bool:
    """Return whether a member is as the caller passed it, and the caller passed another value than the initial one."""
    if seen != _as_passed(call, member):
        return False
    return seen != _as_passed(replace(call, descriptor=MessageDescriptor(), options=GetMessageOptions()), member)


def _beyond_version(call: Get, observed: ObservedReply) -> Iterator[Difference]:
    """Compare the fields that the MQGMO of the call is too old to have: they are absent or as passed."""
    if call.options.version >= _NEWEST_FIELD:
        return
    for c_name, since in GMO_SINCE_VERSION.items():
        member = f"MQGMO.{c_name}"
        if call.options.version >= since or member in observed.unasked:
            continue
        seen = observed.members.get(member)
        if seen is not None and seen != _as_passed(call, member):
            yield Difference(member, seen, "absent, as this version of the structure has no such field", ("GST-08",))


def _in_words(value: object, latitude: Latitude | None, seen: object) -> tuple[str, str]:
    """Return in words what is allowed, and of data that are too long to print where the observed ones depart."""
    if isinstance(value, bytes) and isinstance(seen, bytes):
        found = difference_in_words(value, seen, _free(latitude, seen))
        if found is not None:
            return found
    return show(value) if latitude is None else str(latitude), ""


def _telling(
    behind: tuple[str, ...], rules: tuple[str, ...], value: object, latitude: Latitude | None, seen: object
) -> tuple[str, ...]:
    """Return the rules about the members of a header that differ, if some behind the output or the reply are.

    Otherwise those behind the output.
    """
    if not isinstance(value, bytes) or not isinstance(seen, bytes):
        return behind
    telling = rules_of_difference(value, seen, _free(latitude, seen))
    return tuple(entry for entry in dict.fromkeys((*behind, *rules)) if entry in telling) or behind


def _free(latitude: Latitude | None, seen: bytes) -> tuple[range, ...]:
    """Return the places of the bytes that may be any, and of the numbers that are within their limits."""
    if not isinstance(latitude, BytesLike):
        return ()
    return (*latitude.free, *(each.place for each in latitude.numbers if each.admits(seen)))


def _expected(call: MqiCall, reply: Reply) -> dict[str, Any]:
    """Return the outputs that the call must have, by name."""
    old = reply.descriptor is not None and reply.descriptor.version == 1
    if isinstance(call, (Put, Put1)) and reply.descriptor is not None:
        members = dict(zip(_PUT_MEMBERS, _put_members(reply.descriptor), strict=True))
    else:
        members = reply.members()
    if old:
        for member in _VERSION_2:
            members.pop(member, None)
    return members


def _as_passed(call: MqiCall, member: str) -> object:
    """Return the value that a member had in the request: an output that is left out is unchanged."""
    if member in _MQMD and isinstance(call, (Get, Put, Put1)):
        return getattr(call.descriptor, _MQMD[member])
    if member in _MQGMO and isinstance(call, Get):
        return getattr(call.options, _MQGMO[member])
    return None


def key_of(observed: ObservedReply) -> MessageKey | None:
    """Return the key of the returned message, or None if there is none."""
    msg_id = observed.members.get("MQMD.MsgId")
    if not isinstance(msg_id, bytes):
        return None
    number = observed.members.get("MQMD.MsgSeqNumber", _INITIAL.msg_seq_number)
    offset = observed.members.get("MQMD.Offset", _INITIAL.offset)
    return MessageKey(msg_id, number, offset)
