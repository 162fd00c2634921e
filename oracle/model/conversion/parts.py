"""Converting data of the built-in formats: character data, and headers with what follows them.

A header describes the data behind it by its own Format, CodedCharSetId and Encoding, so the parts are converted one
after the other (CVP-12).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from oracle.errors import NotModelledError
from oracle.model.conversion.code_pages import CODE_PAGES, UNICODE_PAIRS, bad_encodings, convert_text, swapped_pairs
from oracle.model.conversion.commands import FORMATS, convert_commands
from oracle.model.step import Step
from oracle.mqi.constants import MQCCSI, MQFMT, MQRC
from oracle.mqi.layouts import MQDLH, MQMDE, MQRFH2, MQTM, Layout, byte_order
from oracle.values import replace

_HEADERS: Final = {
    MQFMT.DEAD_LETTER_HEADER: MQDLH,
    MQFMT.MD_EXTENSION: MQMDE,
    MQFMT.RF_HEADER_2: MQRFH2,
    MQFMT.TRIGGER: MQTM,
}
BUILT_IN: Final = frozenset(
    {
        *_HEADERS, MQFMT.STRING, MQFMT.ADMIN, MQFMT.CICS, MQFMT.COMMAND_1, MQFMT.COMMAND_2, MQFMT.DIST_HEADER,
        MQFMT.EVENT, MQFMT.IMS, MQFMT.IMS_VAR_STRING, MQFMT.PCF, MQFMT.REF_MSG_HEADER, MQFMT.RF_HEADER,
        MQFMT.WORK_INFO_HEADER, MQFMT.XMIT_Q_HEADER,
    }
)  # fmt: skip  # names
"""The formats that a queue manager converts itself (CVP-11); the layouts of some are not known here."""

_BAD_SOURCE: Final = {
    "integer": MQRC.SOURCE_INTEGER_ENC_ERROR,
    "decimal": MQRC.SOURCE_DECIMAL_ENC_ERROR,
    "float": MQRC.SOURCE_FLOAT_ENC_ERROR,
}
_BAD_TARGET: Final = {
    "integer": MQRC.TARGET_INTEGER_ENC_ERROR,
    "decimal": MQRC.TARGET_DECIMAL_ENC_ERROR,
    "float": MQRC.TARGET_FLOAT_ENC_ERROR,
}
_MAX_CCSID: Final = 65535


@dataclass(frozen=True, slots=True)
class Form:
    """The description of a part of the data."""

    format: str
    """The name of its format."""
    coded_char_set_id: int
    """The character set of its text, by number."""
    encoding: int
    """The representation of its numbers, as in MQMD.Encoding."""

    @property
    def text(self) -> tuple[int, int]:
        """The members that decide how characters are written."""
        return self.coded_char_set_id, self.encoding

    def alike(self, other: Form) -> bool:
        """Return whether characters and numbers are written in the same way."""
        return self.text == other.text


@dataclass(frozen=True, slots=True)
class Part:
    """A part after conversion."""

    data: bytes
    """Its bytes."""
    free: tuple[range, ...] = ()
    """The places that may have any bytes."""
    open: bool = False
    """Whether nothing is known of the data."""
    warning: tuple[int, str] | None = None
    """The reason, and its rule, why a part behind a header was not converted."""


@dataclass(frozen=True, slots=True)
class Unconverted:
    """The reason why a part cannot be converted."""

    reason: int
    """The reason code."""
    rule: str
    """The id of the rule behind it."""


def convert_part(step: Step, data: bytes, form: Form, target: Form) -> Part | Unconverted:
    """Convert data of a built-in format to the character set and the encoding of `target`.

    Raises NotModelledError for a format of unknown layout, and for special values of CodedCharSetId.
    """
    if form.format == MQFMT.STRING:
        return _convert_string(step, data, form, target)
    if form.format in FORMATS:
        return _convert_commands(step, data, form, target)
    layout = _HEADERS.get(form.format)
    if layout is None:
        raise NotModelledError(f"MQGMO_CONVERT of data of the format {form.format} is not modelled")
    return _convert_header(step, layout, data, form, target)


def _convert_string(step: Step, data: bytes, form: Form, target: Form) -> Part | Unconverted:
    needs_integers = bool({form.coded_char_set_id, target.coded_char_set_id} & UNICODE_PAIRS)
    must, may = _obstacles(step, form, target, needs_integers=needs_integers)
    if must:
        return step.choose("which reason tells that conversion is not supported", [*must, *may])
    answers: list[Part | Unconverted] = []
    if _unknown(form, target):
        known = Part(data) if form.coded_char_set_id == target.coded_char_set_id else Part(data, open=True)
        answers = [*may, known]
    else:
        text = convert_text(data, form.text, target.text)
        answers.append(Part(text.data, text.free, text.open))
        if text.faulty:
            answers += [Unconverted(MQRC.NOT_CONVERTED, "CVP-10"), Unconverted(MQRC.DBCS_ERROR, "CVP-10")]
        answers += [each for each in may if each not in answers]
    return step.choose("are the characters converted", answers)


def _unknown(form: Form, target: Form) -> bool:
    return form.coded_char_set_id not in CODE_PAGES or target.coded_char_set_id not in CODE_PAGES


def _obstacles(
    step: Step, form: Form, target: Form, *, needs_integers: bool
) -> tuple[list[Unconverted], list[Unconverted]]:
    """Return why the conversion must fail, and why it may: the queue manager chooses what it supports (CVP-10)."""
    must: list[Unconverted] = []
    may: list[Unconverted] = []
    ends = ((form, MQRC.SOURCE_CCSID_ERROR, _BAD_SOURCE), (target, MQRC.TARGET_CCSID_ERROR, _BAD_TARGET))
    same = form.coded_char_set_id == target.coded_char_set_id
    for end, ccsid_error, encoding_errors in reversed(ends):
        _refuse_special(end.coded_char_set_id)
        exists = 0 < end.coded_char_set_id <= _MAX_CCSID
        supported = same or end.coded_char_set_id in step.state.profile.code_pages
        if not exists or not supported or end.coded_char_set_id not in CODE_PAGES:
            (may if exists else must).append(Unconverted(ccsid_error, "CVP-10"))
        for kind in bad_encodings(end.encoding):
            certain = kind == "integer" and needs_integers and form.encoding != target.encoding
            (must if certain else may).append(Unconverted(encoding_errors[kind], "CVP-10"))
    if must or may:
        may.append(Unconverted(MQRC.NOT_CONVERTED, "CVP-10"))
    return must, may


def _refuse_special(ccsid: int) -> None:
    """Refuse the values of CodedCharSetId that name no code page: their conversion is not documented."""
    if ccsid in (MQCCSI.EMBEDDED, MQCCSI.INHERIT, MQCCSI.APPL, MQCCSI.AS_PUBLISHED, MQCCSI.UNDEFINED):
        raise NotModelledError(f"MQGMO_CONVERT with the CodedCharSetId {ccsid} is not modelled")


def _convert_commands(step: Step, data: bytes, form: Form, target: Form) -> Part | Unconverted:
    must, may = _obstacles(step, form, target, needs_integers=True)
    if must:
        return step.choose("which reason tells that conversion is not supported", [*must, *may])
    if _unknown(form, target):
        answers: list[Part | Unconverted] = [*may, Part(data, open=True)]
        return step.choose("are the characters converted", answers)
    converted = convert_commands(data, form.text, target.text)
    if converted is None:
        return _malformed(step)
    found: list[Part | Unconverted] = [Part(*converted), *may]
    return step.choose("are the characters converted", found)


def _convert_header(step: Step, layout: Layout, data: bytes, form: Form, target: Form) -> Part | Unconverted:
    """Convert a header, and what follows it as the header describes it."""
    obstacle = _header_obstacle(step, layout, data, form, target)
    if obstacle is not None:
        return obstacle
    length = layout.length(layout.versions[0])
    folders = _convert_folders(data, form, target) if layout is MQRFH2 else b""
    if folders is None:
        return _malformed(step)
    fixed = _convert_fields(step, layout, data, form, target)
    if isinstance(fixed, Unconverted):
        return fixed
    length += len(folders)
    if layout is MQTM:
        if len(data) > length:
            raise NotModelledError("MQGMO_CONVERT of data behind an MQTM is not modelled")
        return fixed
    header = replace(fixed, data=fixed.data + folders)
    return _with_rest(step, header, _Stored(layout, data[:length], data[length:], form), target)


def _header_obstacle(step: Step, layout: Layout, data: bytes, form: Form, target: Form) -> Part | Unconverted | None:
    """Return the result for a header that is not converted as far as is known here, or None."""
    must, may = _obstacles(step, form, target, needs_integers=True)
    if must:
        return step.choose("which reason tells that conversion is not supported", [*must, *may])
    if _unknown(form, target):
        answers: list[Part | Unconverted] = [*may, Part(data, open=True)]
        return step.choose("are the characters converted", answers)
    _refuse_wide_headers(form, target)
    if not _is_whole(layout, data, form):
        return _malformed(step)
    supported: Unconverted | None = None
    return step.choose("are the characters converted", (supported, *may))


def _malformed(step: Step) -> Unconverted:
    reasons = (MQRC.FORMAT_ERROR, MQRC.NOT_CONVERTED)
    reason = step.choose("which reason tells that the data are not of their format", reasons, "CVP-12")
    return Unconverted(reason, "CVP-12")


@dataclass(frozen=True, slots=True)
class _Stored:
    """A header as it was put, what follows it, and how the header itself is described."""

    layout: Layout
    header: bytes
    rest: bytes
    form: Form

    def place(self, name: str) -> range:
        """Return the place of a member."""
        return next(place for member, _, place in _places(self.layout) if member == name)

    def number(self, name: str) -> int:
        """Return the value of an integer."""
        place = self.place(name)
        return int.from_bytes(self.header[place.start : place.stop], byte_order(self.form.encoding), signed=True)

    @property
    def inherits(self) -> bool:
        """Whether what follows is in the character set of the header."""
        return self.number("CodedCharSetId") == MQCCSI.INHERIT

    @property
    def rest_form(self) -> Form:
        """The description of what follows it."""
        place, page = self.place("Format"), CODE_PAGES[self.form.coded_char_set_id]
        name = page.decode(self.header[place.start : place.stop], self.form.encoding).rstrip(" \0")
        ccsid = self.form.coded_char_set_id if self.inherits else self.number("CodedCharSetId")
        return Form(name, ccsid, self.number("Encoding"))


def _refuse_wide_headers(form: Form, target: Form) -> None:
    pages = [CODE_PAGES[end.coded_char_set_id] for end in (form, target)]
    if any(page.family in ("utf-16", "east-asian") for page in pages) and pages[0] != pages[1]:
        raise NotModelledError("MQGMO_CONVERT of headers between these code pages is not modelled")


def _is_whole(layout: Layout, data: bytes, form: Form) -> bool:
    """Return whether the data begin with the structure."""
    order, page = byte_order(form.encoding), CODE_PAGES[form.coded_char_set_id]
    if len(data) < layout.length(layout.versions[0]):
        return False
    version = int.from_bytes(data[4:8], order, signed=True)
    return page.decode(data[:4], form.encoding) == layout.struc_id and version in layout.versions


def _places(layout: Layout) -> Iterator[tuple[str, str, range]]:
    """Yield name, kind and place of each member of a structure that has one version."""
    yield "StrucId", "char", range(4)
    yield "Version", "long", range(4, 8)
    start = 8
    for field in layout.members(layout.versions[0]):
        size = 4 if field.kind == "long" else field.size
        yield field.name, field.kind, range(start, start + size)
        start += size


def _convert_fields(step: Step, layout: Layout, data: bytes, form: Form, target: Form) -> Part | Unconverted:
    """Convert the members of a structure: integers by the encoding, text to its fixed length (CVP-09)."""
    out, free = bytearray(), []
    swap = byte_order(form.encoding) != byte_order(target.encoding)
    for _, kind, place in _places(layout):
        member = data[place.start : place.stop]
        if kind == "char":
            text = _fixed_text(member, form, target)
            if isinstance(text, Unconverted):
                step.because("CVP-09")
                return text
            free += [range(place.start + each.start, place.start + each.stop) for each in text.free]
            member = text.data
        elif kind == "long" and swap:
            member = member[::-1]
        out += member
    return Part(bytes(out), tuple(free))


def _fixed_text(member: bytes, form: Form, target: Form) -> Part | Unconverted:
    """Convert a string of fixed length. Only an insignificant end may be lost (CVP-09)."""
    size = len(member)
    blank = CODE_PAGES[target.coded_char_set_id].encode(" ", target.encoding) or b" "
    if form.coded_char_set_id == target.coded_char_set_id:
        return Part(member)
    text = convert_text(member, form.text, target.text)
    if len(text.data) <= size:
        return Part(text.data.ljust(size, blank), (range(size),) if text.open else text.free)
    page = CODE_PAGES[form.coded_char_set_id]
    significant = page.decode(member, form.encoding).partition("\0")[0].rstrip(" ")
    kept = b"".join(page.encode(character, form.encoding) or b"" for character in significant)
    text = convert_text(kept, form.text, target.text)
    if len(text.data) > size:
        return Unconverted(MQRC.CONVERTED_STRING_TOO_BIG, "CVP-09")
    return Part(text.data.ljust(size, blank), (range(len(kept), size),))


def _convert_folders(data: bytes, form: Form, target: Form) -> bytes | None:
    """Convert what follows the fixed part of an MQRFH2: lengths, and the byte order of folders in UTF-16 (CVP-13).

    Return None if the lengths contradict each other.
    """
    order, other = byte_order(form.encoding), byte_order(target.encoding)
    header = MQRFH2.length(2)
    end = int.from_bytes(data[8:12], order, signed=True)
    ccsid = int.from_bytes(data[32:36], order, signed=True)
    if not header <= end <= len(data):
        return None
    out, place = bytearray(), header
    while place < end:
        length = int.from_bytes(data[place : place + 4], order, signed=True)
        folder = data[place + 4 : place + 4 + length]
        if length < 0 or place + 4 + length > end:
            return None
        swap = ccsid in UNICODE_PAIRS and order != other
        out += length.to_bytes(4, other, signed=True) + (swapped_pairs(folder) if swap else folder)
        place += 4 + length
    return bytes(out)


def _with_rest(step: Step, header: Part, stored: _Stored, target: Form) -> Part | Unconverted:
    """Put a converted header before what follows it, converted as the stored header describes it (CVP-12)."""
    step.because("CVP-12")
    if stored.layout is MQRFH2:
        step.because("CVP-13")
    ccsid, encoding = stored.place("CodedCharSetId"), stored.place("Encoding")
    form, rest = stored.rest_form, stored.rest
    if not rest:
        return replace(header, free=(*header.free, ccsid, encoding))
    if form.alike(target):
        return replace(header, data=header.data + rest)
    if form.format == MQFMT.NONE or form.format not in BUILT_IN:
        converted: Part | Unconverted = Unconverted(MQRC.FORMAT_ERROR, "CVP-12")
    else:
        converted = convert_part(step, rest, form, target)
    if isinstance(converted, Unconverted):
        alone = header.data if not stored.inherits else _with_number(header.data, ccsid, form.coded_char_set_id, target)
        answers: list[Part | Unconverted] = [converted]
        answers.append(replace(header, data=alone + rest, warning=(converted.reason, converted.rule)))
        if form.format == MQFMT.NONE:
            answers.append(replace(header, data=alone + rest))
        return step.choose("is a header converted before data that are not", answers)
    data = _with_number(header.data, ccsid, target.coded_char_set_id, target)
    data = _with_number(data, encoding, target.encoding, target)
    free = (*header.free, *((ccsid,) if stored.inherits else ()))
    moved = tuple(range(len(data) + each.start, len(data) + each.stop) for each in converted.free)
    return Part(data + converted.data, (*free, *moved), converted.open, converted.warning)


def _with_number(data: bytes, place: range, value: int, target: Form) -> bytes:
    number = value.to_bytes(4, byte_order(target.encoding), signed=True)
    return data[: place.start] + number + data[place.stop :]
