"""MQGMO_CONVERT: converted and unconverted data, and their description in the descriptor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.errors import NotModelledError, UsageError
from oracle.model.conversion.code_pages import CODE_PAGES, convert_text
from oracle.model.queue_manager import new_state, outcomes
from oracle.model.reply import Reply
from oracle.model.state import State
from oracle.mqi.calls import Connect, Get, Open, Put
from oracle.mqi.constants import MQCC, MQGMO, MQOO, MQRC
from oracle.mqi.definitions import QueueDefinition, define
from oracle.mqi.layouts import MQDLH, MQMDE, MQRFH2, MQTM, Values
from oracle.mqi.profile import Profile
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, PutMessageOptions
from tests.oracle.conftest import Play

KNOWN = Profile(code_pages=frozenset(CODE_PAGES))
BIG, LITTLE = 273, 546
LATIN, UTF_8, EBCDIC, UTF_16 = 819, 1208, 500, 1200
CONVERT = int(MQGMO.CONVERT)
ACCEPT = CONVERT | int(MQGMO.ACCEPT_TRUNCATED_MSG)

Source = tuple[str, int, int]


def state_with(data: bytes, source: Source, profile: Profile = KNOWN) -> State:
    """Return a queue manager with one message: `source` is its Format, CodedCharSetId and Encoding."""
    state = new_state([define(QueueDefinition, {"name": "Q"})], profile=profile)
    for call in (Connect("A"), Open("A", "Q", MQOO.INPUT_SHARED | MQOO.BROWSE | MQOO.OUTPUT)):
        state = next(outcomes(state, call)).state
    name, ccsid, encoding = source
    md = MessageDescriptor(format=name, coded_char_set_id=ccsid, encoding=encoding)
    outcome = next(outcomes(state, Put("A", 1, md, PutMessageOptions(), data)))
    assert outcome.reply.reason == MQRC.NONE
    return outcome.state


def replies(
    data: bytes, source: Source, target: tuple[int, int], options: int = CONVERT, room: int = 65536, **more: Profile
) -> Iterator[tuple[Reply, int]]:
    """Yield each allowed reply to a get, and the number of messages that are left after it."""
    md = MessageDescriptor(coded_char_set_id=target[0], encoding=target[1])
    for outcome in outcomes(
        state_with(data, source, **more), Get("A", 1, md, GetMessageOptions(options=options), room)
    ):
        yield outcome.reply, len(outcome.state.queues["Q"].messages)


def first(
    data: bytes, source: Source, target: tuple[int, int], options: int = CONVERT, room: int = 65536
) -> tuple[Reply, int]:
    return next(replies(data, source, target, options, room))


def described(reply: Reply) -> tuple[int, int]:
    assert reply.descriptor is not None
    return reply.descriptor.coded_char_set_id, reply.descriptor.encoding


TEXT = "Grüße"
LATIN_TEXT = TEXT.encode("latin-1")


@pytest.mark.parametrize(
    ("source", "target", "codec"),
    [
        ((LATIN, BIG), (UTF_8, BIG), "utf-8"),
        ((LATIN, BIG), (EBCDIC, LITTLE), "cp500"),
        ((LATIN, LITTLE), (UTF_16, BIG), "utf-16-be"),
        ((LATIN, BIG), (UTF_16, LITTLE), "utf-16-le"),
        ((LATIN, BIG), (850, BIG), "cp850"),
        ((LATIN, BIG), (1252, BIG), "cp1252"),
        ((LATIN, BIG), (LATIN, LITTLE), "latin-1"),
    ],
)
def test_character_data_are_converted_and_described(
    source: tuple[int, int], target: tuple[int, int], codec: str
) -> None:
    (reply, left), *others = replies(LATIN_TEXT, ("MQSTR", *source), target)
    assert (reply.comp_code, reply.data, described(reply)) == (MQCC.OK, TEXT.encode(codec), target)
    assert (reply.data_length, left, others) == (len(TEXT.encode(codec)), 0, [])


def test_the_code_page_1047_differs_from_37_in_the_brackets() -> None:
    assert convert_text(b"[x^]", (LATIN, BIG), (1047, BIG)).data.hex() == "ada75fbd"
    assert convert_text(b"[x^]", (LATIN, BIG), (37, BIG)).data.hex() == "baa7b0bb"


@pytest.mark.parametrize(
    ("ccsid", "character", "byte"),
    [
        (277, "Æ", 0x7B), (277, "#", 0x4A), (278, "Å", 0x5B), (278, "É", 0xE0), (280, "è", 0xD0), (284, "Ñ", 0x7B),
        (285, "£", 0x5B), (285, "$", 0x4A), (297, "é", 0xC0), (871, "Þ", 0x4A), (871, "þ", 0xC0), (1141, "Ä", 0x4A),
        (1142, "\u20ac", 0x5A), (1148, "\u20ac", 0x9F), (277, "\u00a4", 0x5A), (500, "[", 0x4A), (1149, "Ö", 0x5F),
        (1252, "\u20ac", 0x80), (1256, "\u067e", 0x81), (878, "\u0410", 0xE1), (862, "\u05d0", 0x80),
    ],
)  # fmt: skip  # rows
def test_a_code_page_has_its_characters_in_their_places(ccsid: int, character: str, byte: int) -> None:
    page = CODE_PAGES[ccsid]
    assert (page.decode(bytes([byte]), LITTLE), page.encode(character, LITTLE)) == (character, bytes([byte]))


@pytest.mark.parametrize("ccsid", [ccsid for ccsid, page in CODE_PAGES.items() if page.single_byte])
def test_every_byte_of_a_single_byte_code_page_goes_there_and_back(ccsid: int) -> None:
    page = CODE_PAGES[ccsid]
    for byte in range(256):
        character = page.decode(bytes([byte]), LITTLE)
        assert character == "\ufffd" or page.encode(character, LITTLE) == bytes([byte])


def test_a_code_page_lacks_the_character_whose_place_the_euro_took() -> None:
    assert CODE_PAGES[1142].encode("\u00a4", LITTLE) is None
    assert CODE_PAGES[277].encode("\u20ac", LITTLE) is None


def test_the_byte_order_of_utf_16_follows_the_encoding() -> None:
    reply, _ = first("Aé".encode("utf-16-be"), ("MQSTR", UTF_16, BIG), (UTF_16, LITTLE))
    assert reply.data == "Aé".encode("utf-16-le")


@pytest.mark.parametrize(
    ("data", "source", "target", "room"),
    [
        (b"abc", (LATIN, LITTLE), (LATIN, LITTLE), 10),
        (b"", (LATIN, LITTLE), (EBCDIC, BIG), 10),
        (b"", (LATIN, LITTLE), (70000, BIG), 10),
        (b"abc", (1208, LITTLE), (0, LITTLE), 10),
    ],
)
@pytest.mark.parametrize("name", ["MQSTR", "", "MINE"])
def test_where_there_is_nothing_to_convert_no_reason_arises(
    data: bytes, source: tuple[int, int], target: tuple[int, int], room: int, name: str
) -> None:
    ((reply, left),) = replies(data, (name, *source), target, room=room)
    assert (reply.comp_code, reply.reason, reply.data, described(reply), left) == (MQCC.OK, 0, data, source, 0)


def test_a_buffer_of_no_length_converts_nothing() -> None:
    ((reply, left),) = replies(b"abc", ("", LATIN, LITTLE), (EBCDIC, LITTLE), room=0)
    assert (reply.reason, described(reply), left) == (MQRC.TRUNCATED_MSG_FAILED, (LATIN, LITTLE), 1)
    ((reply, left),) = replies(b"abc", ("MQSTR", LATIN, LITTLE), (EBCDIC, LITTLE), ACCEPT, room=0)
    assert (reply.reason, described(reply), left) == (MQRC.TRUNCATED_MSG_ACCEPTED, (LATIN, LITTLE), 0)


@pytest.mark.parametrize("name", ["", "MINE"])
def test_without_a_format_or_an_exit_the_data_come_unconverted(name: str) -> None:
    ((reply, left),) = replies(b"abc", (name, LATIN, LITTLE), (EBCDIC, BIG))
    assert (reply.comp_code, reply.reason) == (MQCC.WARNING, MQRC.FORMAT_ERROR)
    assert (reply.data, described(reply), left) == (b"abc", (LATIN, LITTLE), 0)


def test_without_a_format_a_message_that_is_too_long_stays_whatever_the_reason() -> None:
    found = {(reply.reason, left) for reply, left in replies(b"abc", ("", LATIN, LITTLE), (EBCDIC, BIG), room=2)}
    assert found == {(MQRC.FORMAT_ERROR, 1), (MQRC.TRUNCATED_MSG_FAILED, 1)}
    found = {(reply.reason, left) for reply, left in replies(b"abc", ("", LATIN, 546), (EBCDIC, 273), ACCEPT, room=2)}
    assert found == {(MQRC.FORMAT_ERROR, 0), (MQRC.TRUNCATED_MSG_ACCEPTED, 0)}


def test_truncation_is_decided_before_conversion() -> None:
    ((reply, left),) = replies(b"abcd", ("MQSTR", LATIN, LITTLE), (EBCDIC, LITTLE), room=2)
    assert (reply.reason, reply.data, described(reply), left) == (2080, b"ab", (LATIN, LITTLE), 1)
    ((reply, left),) = replies(b"abcd", ("MINE", LATIN, LITTLE), (EBCDIC, LITTLE), room=2)
    assert (reply.reason, reply.data, left) == (2080, b"ab", 1)


def test_what_fits_of_a_message_is_converted_where_truncation_is_accepted() -> None:
    ((reply, left),) = replies(b"abcd", ("MQSTR", LATIN, LITTLE), (EBCDIC, BIG), ACCEPT, room=2)
    assert (reply.reason, reply.data, described(reply), left) == (2079, bytes.fromhex("8182"), (EBCDIC, BIG), 0)
    assert reply.data_length == 4


def test_a_character_that_truncation_cuts_is_left_out_and_nulls_follow() -> None:
    wide = "abcdef".encode("utf-16-be")
    (reply, _), (whole, _) = replies(wide, ("MQSTR", UTF_16, BIG), (LATIN, BIG), ACCEPT, room=7)
    assert (reply.reason, reply.data, reply.data_length) == (2079, b"abc\0\0\0\0", 12)
    latitude = reply.latitude["data"]
    for data in (b"abc", b"abc\0", b"abcd", b"abcdef", b"abcdef\0"):
        assert latitude.admits(data), data
    for wrong in (b"ab", b"abx", b"abc\0d", b"abcdef\0\0", wide[:7], "abc"):
        assert not latitude.admits(wrong), wrong
    assert (whole.reason, whole.data) == (0, b"abcdef")  # the converted length counts (AMB-53)


def test_data_that_grow_beyond_the_buffer() -> None:
    ((reply, left),) = replies(LATIN_TEXT, ("MQSTR", LATIN, BIG), (UTF_8, BIG), room=5)
    assert (reply.comp_code, reply.reason) == (MQCC.WARNING, MQRC.CONVERTED_MSG_TOO_BIG)
    assert (reply.data, described(reply), left) == (LATIN_TEXT, (LATIN, BIG), 0)
    ((reply, left),) = replies(LATIN_TEXT, ("MQSTR", LATIN, BIG), (UTF_8, BIG), ACCEPT, room=5)
    assert (reply.reason, reply.data, described(reply), left) == (2079, "Grü".encode() + b"\0", (UTF_8, BIG), 0)
    assert reply.latitude["data"].admits(TEXT.encode()[:5])


@pytest.mark.parametrize(
    ("source", "target", "reasons"),
    [
        ((LATIN, BIG), (70000, BIG), {MQRC.TARGET_CCSID_ERROR, MQRC.NOT_CONVERTED}),
        ((-9, BIG), (LATIN, BIG), {MQRC.SOURCE_CCSID_ERROR, MQRC.NOT_CONVERTED}),
        ((LATIN, BIG), (UTF_16, 0), {2116, 2117, 2118, MQRC.NOT_CONVERTED}),
        ((UTF_16, 0), (LATIN, BIG), {2112, 2113, 2114, MQRC.NOT_CONVERTED}),
    ],
)
def test_what_cannot_be_supported_is_named(source: tuple[int, int], target: tuple[int, int], reasons: set[int]) -> None:
    found = list(replies(b"abc", ("MQSTR", *source), target))
    assert {reply.reason for reply, _ in found} == reasons
    assert all((reply.data, described(reply), left) == (b"abc", source, 0) for reply, left in found)


def test_which_code_pages_are_supported_is_open_unless_the_profile_says_so() -> None:
    source = ("MQSTR", LATIN, BIG)
    found = [reply.reason for reply, _ in replies(b"abc", source, (EBCDIC, BIG), profile=Profile())]
    assert found[0] == MQRC.NONE
    assert set(found) == {0, 2111, 2115, 2119}
    unknown = list(replies(b"abc", source, (1388, BIG)))
    assert unknown[0][0].reason == MQRC.TARGET_CCSID_ERROR
    converted = next(reply for reply, _ in unknown if reply.reason == MQRC.NONE)
    assert converted.latitude["data"].admits(b"anything")
    assert described(converted) == (1388, BIG)


def test_the_code_page_of_the_queue_manager_is_meant_by_0() -> None:
    reply, _ = first(LATIN_TEXT, ("MQSTR", LATIN, BIG), (0, BIG))
    assert (reply.data, described(reply)) == (TEXT.encode(), (1208, BIG))
    assert reply.latitude["MQMD.CodedCharSetId"].admits(0)
    assert not reply.latitude["MQMD.CodedCharSetId"].admits(LATIN)


def test_a_character_that_the_other_code_page_lacks() -> None:
    found = list(replies("aΩb".encode("utf-16-be"), ("MQSTR", UTF_16, BIG), (UTF_8, BIG)))
    assert [reply.data for reply, _ in found] == ["aΩb".encode()]
    found = list(replies(b"a\xeab", ("MQSTR", 813, BIG), (LATIN, BIG)))
    assert {reply.reason for reply, _ in found} == {0, MQRC.NOT_CONVERTED, MQRC.DBCS_ERROR}
    latitude = found[0][0].latitude["data"]
    assert latitude.admits(b"a\x1ab")
    assert not latitude.admits(b"x\x1ab")


def test_without_the_option_nothing_is_converted() -> None:
    ((reply, _),) = replies(b"abc", ("MQSTR", LATIN, BIG), (EBCDIC, LITTLE), options=0)
    assert (reply.reason, reply.data, described(reply)) == (0, b"abc", (LATIN, BIG))


def test_a_browse_converts_and_leaves_the_message_as_it_was(play: Play) -> None:
    played = play("""
        h = open Q BROWSE+INPUT_SHARED+OUTPUT
        put h m1 Format=MQSTR CodedCharSetId=819 Data=e9
        get h BROWSE_FIRST+CONVERT CodedCharSetId=1208 -> OK data=c3a9 CodedCharSetId=1208
        get h CONVERT CodedCharSetId=500 -> OK data=51 CodedCharSetId=500
    """)
    assert played.disagreements == []


def test_segments_of_different_code_pages_give_their_reason_and_may_be_converted(play: Play) -> None:
    played = play("""
        h = open Q INPUT_SHARED+OUTPUT
        put h m1 LOGICAL_ORDER MsgFlags=SEGMENT Format=MQSTR CodedCharSetId=819 Data=4142
        put h m2 LOGICAL_ORDER MsgFlags=LAST_SEGMENT Format=MQSTR CodedCharSetId=850 Data=4344
        get h COMPLETE_MSG+CONVERT CodedCharSetId=500 -> 2243 data=c1c2 CodedCharSetId=500
    """)
    assert played.disagreements == []


DLH: Values = {"Reason": 2085, "DestQName": "THERE", "Encoding": BIG, "CodedCharSetId": LATIN, "Format": "MQSTR"}


def test_a_header_and_what_it_describes_are_converted() -> None:
    data = MQDLH.encode(DLH, "big") + LATIN_TEXT
    reply, _ = first(data, ("MQDEAD", LATIN, BIG), (EBCDIC, LITTLE))
    assert reply.data is not None
    header = MQDLH.decode(reply.data, "little", "cp500")
    assert header == MQDLH.decode(data, "big") | {"Encoding": LITTLE, "CodedCharSetId": EBCDIC}
    assert reply.data[172:] == TEXT.encode("cp500")


def test_data_behind_a_header_are_converted_from_their_own_code_page() -> None:
    data = MQDLH.encode({**DLH, "CodedCharSetId": UTF_8}, "big") + TEXT.encode()
    reply, _ = first(data, ("MQDEAD", LATIN, BIG), (EBCDIC, BIG))
    assert reply.data is not None
    assert reply.data[172:] == TEXT.encode("cp500")
    already = MQDLH.encode({**DLH, "CodedCharSetId": EBCDIC}, "big") + TEXT.encode("cp500")
    reply, _ = first(already, ("MQDEAD", LATIN, BIG), (EBCDIC, BIG))
    assert reply.data is not None
    assert reply.data[172:] == already[172:]


@pytest.mark.parametrize(("name", "without_reason"), [("MINE", False), ("", True)])
def test_data_behind_a_header_that_cannot_be_converted(name: str, without_reason: bool) -> None:
    data = MQDLH.encode({**DLH, "Format": name}, "big") + b"abc"
    found = [reply for reply, _ in replies(data, ("MQDEAD", LATIN, BIG), (EBCDIC, LITTLE))]
    assert (found[0].reason, found[0].data, described(found[0])) == (2110, data, (LATIN, BIG))
    assert (found[1].reason, described(found[1])) == (2110, (EBCDIC, LITTLE))
    assert found[1].data is not None
    header = MQDLH.decode(found[1].data, "little", "cp500")
    assert (header["CodedCharSetId"], header["Encoding"], found[1].data[172:]) == (LATIN, BIG, b"abc")
    assert [reply.reason for reply in found[2:]] == ([0] if without_reason else [])


@pytest.mark.parametrize("data", [b"DLH ", b"XXX " + MQDLH.encode(DLH, "big")[4:], MQDLH.encode(DLH, "little")])
def test_data_that_are_not_of_their_format_come_unconverted(data: bytes) -> None:
    found = list(replies(data, ("MQDEAD", LATIN, BIG), (EBCDIC, BIG)))
    assert {reply.reason for reply, _ in found} == {MQRC.FORMAT_ERROR, MQRC.NOT_CONVERTED}
    assert all((reply.data, described(reply)) == (data, (LATIN, BIG)) for reply, _ in found)


def test_a_string_of_fixed_length_may_lose_its_blanks_and_nothing_else() -> None:
    data = MQDLH.encode({**DLH, "PutApplName": "Grüße"}, "big")
    reply, _ = first(data, ("MQDEAD", LATIN, BIG), (UTF_8, BIG))
    assert reply.data is not None
    assert MQDLH.decode(reply.data, "big", "utf-8")["PutApplName"] == "Grüße"
    assert len(reply.data) == len(data)
    data = MQDLH.encode({**DLH, "PutApplName": "ü" * 28}, "big")
    ((reply, left),) = replies(data, ("MQDEAD", LATIN, BIG), (UTF_8, BIG), ACCEPT)
    assert (reply.reason, reply.data, left) == (MQRC.CONVERTED_STRING_TOO_BIG, data, 0)


def test_a_trigger_message_and_an_extension_are_converted() -> None:
    data = MQTM.encode({"QName": "Q", "ApplType": 11}, "big")
    reply, _ = first(data, ("MQTRIG", LATIN, BIG), (EBCDIC, LITTLE))
    assert reply.data is not None
    assert MQTM.decode(reply.data, "little", "cp500") == MQTM.decode(data, "big")
    extension = MQMDE.encode({"CodedCharSetId": -2, "Encoding": BIG, "Format": "MQSTR", "Offset": 7}, "big")
    data = MQDLH.encode({**DLH, "Format": "MQHMDE"}, "big") + extension + b"abc"
    reply, _ = first(data, ("MQDEAD", LATIN, BIG), (EBCDIC, LITTLE))
    assert reply.data is not None
    converted = MQMDE.decode(reply.data[172:], "little", "cp500")
    assert (converted["Offset"], converted["CodedCharSetId"], converted["Encoding"]) == (7, EBCDIC, LITTLE)
    assert reply.data[244:] == bytes.fromhex("818283")


@pytest.mark.parametrize(("ccsid", "codec", "converted"), [(1208, "utf-8", "utf-8"), (1200, "utf-16-be", "utf-16-le")])
def test_the_folders_of_a_rules_header_keep_their_code_page(ccsid: int, codec: str, converted: str) -> None:
    folder, other = "<psc>é  </psc>".encode(codec), "<psc>é  </psc>".encode(converted)
    length = 36 + 4 + len(folder)
    values: Values = {
        "StrucLength": length,
        "Encoding": BIG,
        "CodedCharSetId": LATIN,
        "Format": "MQSTR",
        "NameValueCCSID": ccsid,
    }
    data = MQRFH2.encode(values, "big") + len(folder).to_bytes(4, "big") + folder + b"abc"
    reply, _ = first(data, ("MQHRF2", LATIN, BIG), (EBCDIC, LITTLE))
    assert reply.data is not None
    header = MQRFH2.decode(reply.data, "little", "cp500")
    assert header == {"Version": 2, "Flags": 0, **values, "Encoding": LITTLE, "CodedCharSetId": EBCDIC}
    assert reply.data[36:length] == len(folder).to_bytes(4, "little") + other
    assert reply.data[length:] == bytes.fromhex("818283")


@pytest.mark.parametrize(
    ("source", "target", "told"),
    [
        (("MQXMIT", LATIN, BIG), (EBCDIC, BIG), "MQXMIT"),
        (("MQSTR", LATIN, BIG), (-1, BIG), "-1"),
        (("MQSTR", -2, BIG), (LATIN, BIG), "-2"),
        (("MQDEAD", LATIN, BIG), (UTF_16, BIG), "headers"),
    ],
)
def test_what_is_not_modelled_is_refused(source: Source, target: tuple[int, int], told: str) -> None:
    with pytest.raises(NotModelledError, match=told):
        first(b"abc", source, target)


def test_a_truncated_header_and_a_made_message_are_refused(play: Play) -> None:
    with pytest.raises(NotModelledError, match="truncated"):
        first(MQDLH.encode(DLH, "big"), ("MQDEAD", LATIN, BIG), (EBCDIC, BIG), ACCEPT, room=10)
    with pytest.raises(NotModelledError, match="made"):
        play(
            "h = open Q OUTPUT; r = open R INPUT_SHARED\n"
            "put h m1 Report=COA_WITH_DATA ReplyToQ=R Format=MQSTR; get r CONVERT CodedCharSetId=500",
            queues=[{"name": "Q"}, {"name": "R"}],
        )
    with pytest.raises(NotModelledError, match="MQMDE"):
        play(
            "h = open Q INPUT_SHARED+OUTPUT; put h m1 Format=MQSTR MsgFlags=LAST_MSG_IN_GROUP\n"
            "get h CONVERT Version=1 MQMD.Version=1 CodedCharSetId=500"
        )


def test_data_are_given_as_hexadecimal_text_with_all_their_zeros(play: Play) -> None:
    text = "h = open Q INPUT_SHARED+OUTPUT; put h m1 Data=0012; get h -> OK data=0012 DataLength=2"
    assert play(text).disagreements == []
    with pytest.raises(UsageError, match="hexadecimal"):
        play("h = open Q OUTPUT; put h m1 Data=red")


pages = st.sampled_from(sorted(CODE_PAGES))
encodings = st.sampled_from([BIG, LITTLE, 785])
letters = st.text(st.sampled_from("abcXYZ 019.,;:()/"), min_size=1, max_size=20)


@given(letters, pages, pages, encodings, encodings)
def test_there_and_back_gives_the_same_data(text: str, one: int, other: int, order: int, back: int) -> None:
    data = b"".join(CODE_PAGES[one].encode(character, order) or b"" for character in text)
    there = convert_text(data, (one, order), (other, back))
    assert not there.open
    assert not there.faulty
    assert convert_text(there.data, (other, back), (one, order)).data == data


forms = st.tuples(pages, encodings)


@given(st.binary(min_size=1, max_size=30), forms, forms, st.integers(1, 40), st.booleans())
def test_the_descriptor_describes_the_buffer_and_no_byte_is_lost(
    data: bytes, source: tuple[int, int], target: tuple[int, int], room: int, accepts: bool
) -> None:
    options = ACCEPT if accepts else CONVERT
    for reply, left in replies(data, ("MQSTR", *source), target, options, room, profile=Profile()):
        assert reply.data is not None
        assert len(reply.data) <= room
        unconverted = described(reply) == source
        assert unconverted or described(reply) == target
        if unconverted:
            assert reply.data == data[:room]
        else:
            assert reply.reason in (0, MQRC.TRUNCATED_MSG_ACCEPTED)
        lost = len(data) > room and not accepts and unconverted
        assert left == lost


@given(st.binary(min_size=1, max_size=30), st.sampled_from(["", "MINE", "MQX"]), pages, pages)
def test_data_that_nobody_can_convert_come_whole(data: bytes, name: str, one: int, other: int) -> None:
    ((reply, left),) = replies(data, (name, one, BIG), (other, LITTLE))
    assert (reply.reason, reply.data, described(reply), left) == (MQRC.FORMAT_ERROR, data, (one, BIG), 0)
