"""MQGMO_CONVERT: what MQGET puts into the buffer, and how it describes it, in the documented order of tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from oracle.errors import NotModelledError
from oracle.model.conversion.code_pages import CODE_PAGES, convert_text
from oracle.model.conversion.extension import Payload
from oracle.model.conversion.parts import BUILT_IN, Form, Part, Unconverted, convert_part
from oracle.model.messages.logical_messages import Found
from oracle.model.reply import Anything, BeginningOf, Between, BytesLike, Latitude, OneOf, Reply
from oracle.model.requests.get import GetRequest
from oracle.model.step import Step
from oracle.mqi.constants import MQCCSI, MQFMT, MQGMO, MQRC
from oracle.mqi.structures import MessageDescriptor
from oracle.values import quickly_made, replace

_LONGEST_CHARACTER: Final = 4
_MEMBERS: Final = ("data", "DataLength", "MQMD.CodedCharSetId", "MQMD.Encoding")


@quickly_made
@dataclass(frozen=True, slots=True)
class Conversion:
    """The result of converting a message."""

    fits: bool
    """Whether the whole message fits into the buffer, as far as the call is judged by that."""
    warnings: tuple[tuple[int, str], ...] = ()
    """Reasons of conversion with their rules."""
    form: Form | None = None
    """The form of the buffer's data, if it holds converted data."""
    data: bytes = b""
    """The data of the buffer, if it holds converted data."""
    data_length: int = 0
    """The DataLength, if the buffer holds converted data."""
    latitude: Mapping[str, Latitude] = field(default_factory=dict)
    """By output, as `MQMD.Expiry`, the other values that are as good, if the buffer holds converted data."""
    rules: tuple[str, ...] = ()
    """The rules behind the contents of the buffer."""

    def onto(self, reply: Reply) -> Reply:
        """Return the reply with the present contents of the buffer and their description (CNV-06)."""
        if self.rules:
            reply = replace(reply, behind={**reply.behind, **dict.fromkeys(_MEMBERS, self.rules)})
        if self.form is None or reply.descriptor is None or reply.options is None:
            return reply
        ccsid, encoding = self.form.text
        return replace(
            reply,
            descriptor=replace(reply.descriptor, coded_char_set_id=ccsid, encoding=encoding),
            options=replace(reply.options, returned_length=len(self.data)),
            data=self.data,
            data_length=self.data_length,
            latitude={**reply.latitude, "MQGMO.ReturnedLength": OneOf((len(self.data), -1)), **self.latitude},
        )


_FITS: Final = Conversion(fits=True)
_DOES_NOT_FIT: Final = Conversion(fits=False)


@dataclass(frozen=True, slots=True)
class _Task:
    """A message that is to be converted: its data and form, the requested form, and the length of the buffer."""

    data: bytes
    form: Form
    target: Form
    room: int
    accepts_truncation: bool


def convert(step: Step, request: GetRequest, found: Found, whole: Payload) -> Conversion:
    """Return what the buffer gets of a message: converted if the call asks for it and it is possible.

    Raises NotModelledError for data whose conversion is not modelled.
    """
    md, room = whole.descriptor, request.call.buffer_length
    plain = _FITS if len(whole.data) <= room else _DOES_NOT_FIT
    target = asked_for(step, request.call.descriptor, md.format)
    if not request.asks(MQGMO.CONVERT):
        if target.text != (md.coded_char_set_id, md.encoding):
            step.because("CNV-07")
        return plain
    form = Form(md.format, md.coded_char_set_id, md.encoding)
    before = len(step.rules)
    if form.alike(target) or not whole.data or room == 0:
        step.because("CVP-01", "CNV-06")
        return replace(plain, rules=step.rules_since(before))
    if found.first.made is not None:
        raise NotModelledError("MQGMO_CONVERT of a message that the queue manager made is not modelled")
    if whole.extension:
        raise NotModelledError("MQGMO_CONVERT of data behind a generated MQMDE is not modelled")
    left = (False, True) if found.unlike else (False,)
    if step.choose("are leading segments left unconverted", left):
        return plain
    task = _Task(whole.data, form, target, room, request.asks(MQGMO.ACCEPT_TRUNCATED_MSG))
    conversion = _carry_out(step, task, plain)
    if conversion.form is not None and request.call.descriptor.coded_char_set_id == MQCCSI.Q_MGR:
        either = OneOf((target.coded_char_set_id, int(MQCCSI.Q_MGR)))
        conversion = replace(conversion, latitude={**conversion.latitude, "MQMD.CodedCharSetId": either})
    return replace(conversion, rules=step.rules_since(before))


def asked_for(step: Step, given: MessageDescriptor, name: str) -> Form:
    """Return the form that MsgDesc asks for on input; a CodedCharSetId of 0 means the queue manager's (CNV-01)."""
    return Form(name, given.coded_char_set_id or step.state.definition.coded_char_set_id, given.encoding)


def _carry_out(step: Step, task: _Task, plain: Conversion) -> Conversion:
    step.because("CNV-02")
    if task.form.format == MQFMT.NONE:
        step.because("CVP-02", "CNV-05", "CNV-06")
        return replace(plain, warnings=((MQRC.FORMAT_ERROR, "CVP-02"),))
    if not plain.fits and not task.accepts_truncation:
        return _too_long(step, task, plain)
    if task.form.format not in BUILT_IN:
        step.because("CNV-03", "CVP-05", "CNV-05", "CNV-06")
        return replace(plain, warnings=((MQRC.FORMAT_ERROR, "CVP-05"),))
    step.because("CVP-11", "CNV-03")
    if not plain.fits:
        return _beginning(step, task, plain)
    part = convert_part(step, task.data, task.form, task.target)
    if isinstance(part, Unconverted):
        return _failed(step, plain, part)
    return _whole(step, task, part, plain)


def _failed(step: Step, plain: Conversion, why: Unconverted) -> Conversion:
    step.because("CVP-07", "CNV-05", "CNV-06", why.rule)
    return replace(plain, warnings=((why.reason, why.rule),))


def _too_long(step: Step, task: _Task, plain: Conversion) -> Conversion:
    """Leave a truncated message unconverted (CVP-03), unless the converted length counts (AMB-53)."""
    step.because("CVP-03")
    if not _may_shrink_to_fit(task) or not step.choose(
        "is the converted length held against the buffer", (False, True)
    ):
        return plain
    part = convert_part(step, task.data, task.form, task.target)
    if isinstance(part, Unconverted) or (len(part.data) > task.room and not part.open):
        return plain
    return _done(step, task, part, fits=True)


def _may_shrink_to_fit(task: _Task) -> bool:
    """Return whether a message that is too long may fit after conversion."""
    if task.form.format != MQFMT.STRING:
        return False
    return not _known(task) or len(_text(task, task.data)) <= task.room


def _known(task: _Task) -> bool:
    return task.form.coded_char_set_id in CODE_PAGES and task.target.coded_char_set_id in CODE_PAGES


def _text(task: _Task, data: bytes) -> bytes:
    return convert_text(data, task.form.text, task.target.text).data if _known(task) else data


def _whole(step: Step, task: _Task, part: Part, plain: Conversion) -> Conversion:
    """Return a message that was converted as a whole, as far as it fits now."""
    fits = len(part.data) <= task.room
    if part.open:
        fits = step.choose("do the converted data fit", (True, False))
    if fits or task.accepts_truncation:
        return _done(step, task, part, fits=fits)
    step.because("CVP-08", "CNV-05", "TRN-10")
    return replace(plain, warnings=((MQRC.CONVERTED_MSG_TOO_BIG, "CVP-08"),))


def _done(step: Step, task: _Task, part: Part, *, fits: bool) -> Conversion:
    """Return converted data for the buffer."""
    step.because("CNV-01", "CNV-04", "CNV-06", "CVP-06")
    if len(part.data) != len(task.data):
        step.because("TRN-10")
    warnings = () if part.warning is None else (part.warning,)
    done = Conversion(fits, warnings, task.target, part.data[: task.room], len(part.data), _freedom(part))
    if part.open:
        return replace(done, latitude=_anything(task.room))
    if fits:
        return done
    step.because("CVP-08")
    return _cut(task, done, part, part.data)


def _beginning(step: Step, task: _Task, plain: Conversion) -> Conversion:
    """Convert the part of a message that fits, if truncation is accepted (CVP-04)."""
    if task.form.format != MQFMT.STRING:
        raise NotModelledError("MQGMO_CONVERT of a truncated message of another format than MQSTR is not modelled")
    part = convert_part(step, task.data, task.form, task.target)
    if isinstance(part, Unconverted):
        return _failed(step, plain, part)
    step.because("CVP-04", "CNV-01", "CNV-04", "CNV-06", "CVP-06")
    done = Conversion(False, (), task.target, part.data[: task.room], len(task.data))
    if part.open:
        return replace(done, latitude=_anything(task.room))
    if len(part.data) <= task.room and step.choose("is the converted length held against the buffer", (False, True)):
        return replace(done, fits=True, data_length=len(part.data), latitude=_freedom(part))
    begun = task.data[: task.room]
    if _known(task):
        begun = CODE_PAGES[task.form.coded_char_set_id].whole_characters(begun, task.form.encoding)
    return _cut(task, done, part, _text(task, begun))


def _cut(task: _Task, done: Conversion, part: Part, first: bytes) -> Conversion:
    """Fill the buffer with the beginning of a converted message.

    `first` is the least that has been converted of it. A character that the end of the buffer would cut in two is left
    out, and nulls follow (CVP-04).
    """
    shortest = min(len(first), max(0, task.room - _LONGEST_CHARACTER + 1))
    filled = first[: task.room]
    if _known(task) and len(first) > task.room:
        filled = CODE_PAGES[task.target.coded_char_set_id].whole_characters(filled, task.target.encoding)
    latitude: dict[str, Latitude] = {
        "data": BeginningOf(BytesLike(part.data, part.free), shortest, task.room),
        "DataLength": OneOf((len(task.data), len(part.data))),
        "MQGMO.ReturnedLength": Between(-1, task.room),
    }
    return replace(done, data=filled.ljust(task.room, b"\0"), data_length=len(task.data), latitude=latitude)


def _freedom(part: Part) -> dict[str, Latitude]:
    return {"data": BytesLike(part.data, part.free)} if part.free else {}


def _anything(room: int) -> dict[str, Latitude]:
    return {"data": Anything(), "DataLength": Anything(), "MQGMO.ReturnedLength": Between(-1, room)}
