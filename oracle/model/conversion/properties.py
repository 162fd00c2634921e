"""Message properties: whether MQGET returns them, and in what form.

The target protocol has no message handles. So the properties of a message are those in the folders of the MQRFH2 that
it was put with (PRP-11), and an MQGET returns them in an MQRFH2 or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from oracle.errors import NotModelledError
from oracle.model.checks import Refusal
from oracle.model.conversion.conversion import asked_for
from oracle.model.conversion.extension import Payload, extended
from oracle.model.conversion.parts import Form
from oracle.model.conversion.rules_header import RulesHeader, read_header
from oracle.model.messages.logical_messages import Found
from oracle.model.reply import Anything, Between, Latitude, Reply
from oracle.model.requests.get import GetRequest
from oracle.model.requests.option_matrix import PROPERTIES
from oracle.model.step import Step
from oracle.mqi.constants import MQFMT, MQGMO, MQMF, MQRC
from oracle.mqi.structures import MessageDescriptor
from oracle.values import quickly_made, replace

Control = Literal["COMPATIBILITY", "NONE", "ALL", "FORCE_MQRFH2", "V6COMPAT"]

_CONTROLS: Final[Mapping[str | int, Control]] = {
    **{name: name for name in ("COMPATIBILITY", "NONE", "ALL", "FORCE_MQRFH2", "V6COMPAT")},
    0: "COMPATIBILITY",
    1: "NONE",
    2: "ALL",
    3: "FORCE_MQRFH2",
    4: "V6COMPAT",
}
"""The values of PropertyControl, by name and by number."""

_OPTIONS: Final[Mapping[int, tuple[Control, str]]] = {
    MQGMO.NO_PROPERTIES: ("NONE", "PRP-07"),
    MQGMO.PROPERTIES_FORCE_MQRFH2: ("FORCE_MQRFH2", "PRP-08"),
    MQGMO.PROPERTIES_COMPATIBILITY: ("COMPATIBILITY", "PRP-09"),
}


@dataclass(frozen=True, slots=True)
class SameHeader:
    """Data that begin with an MQRFH2 with the same folders, written in any way, and continue with the same bytes."""

    descriptor: MessageDescriptor
    """The descriptor of the message, which describes how the header is written."""
    expected: bytes
    """The data as the model writes them."""

    def admits(self, value: object) -> bool:
        """Return whether the data have the same meaning."""
        if value == self.expected:
            return True
        seen = read_header(self.descriptor, value) if isinstance(value, bytes) else None
        wanted = read_header(self.descriptor, self.expected)
        return seen is not None and wanted is not None and seen.meaning == wanted.meaning

    def __str__(self) -> str:
        return f"{self.expected.hex()}, with the folders of the MQRFH2 written in any way"


@quickly_made
@dataclass(frozen=True, slots=True)
class Shown:
    """A message as MQGET returns it, without the properties that are left out."""

    descriptor: MessageDescriptor
    """The descriptor. A message without its header is described as what followed the header."""
    data: bytes
    """The data, with an MQRFH2 if properties or other folders are left."""
    latitude: Mapping[str, Latitude] = field(default_factory=dict)
    """By output, as `DataLength`, the other values that are as good."""
    rules: tuple[str, ...] = ()
    """The rules behind the data. Empty for a message that has no properties."""

    def payload(self, md_version: int) -> Payload:
        """Return the payload of the message for a descriptor of this version (MDE-01).

        Raises NotModelledError for a header with properties behind an MQMDE.
        """
        if md_version > 1:
            return Payload(self.descriptor, self.data)
        whole = extended(replace(self.descriptor, version=1), self.data)
        if self.latitude and whole.extension:
            raise NotModelledError("properties in an MQRFH2 behind a generated MQMDE are not modelled")
        return whole

    def onto(self, reply: Reply) -> Reply:
        """Return the reply with the latitude of the header, and with the rules behind the data."""
        if not self.rules:
            return reply
        behind = dict.fromkeys(("data", "DataLength", "MQMD.Format"), self.rules)
        return replace(reply, latitude={**reply.latitude, **self.latitude}, behind={**reply.behind, **behind})


def property_refusals(options: int) -> Iterator[Refusal]:
    """Yield what is wrong with the property options of a call, which has no message handle."""
    options &= PROPERTIES
    several = options.bit_count() > 1
    if several:
        yield Refusal(MQRC.OPTIONS_ERROR, ("PRP-01",), optional=True)
    if options & MQGMO.PROPERTIES_IN_HANDLE:
        yield Refusal(MQRC.HMSG_ERROR, ("PRP-05",), optional=several)


def shown(step: Step, request: GetRequest, found: Found) -> Shown:
    """Return the message in the form that the call or the queue asks for.

    Raises NotModelledError if that depends on something that the documents do not say.
    """
    plain = Shown(found.descriptor, found.data)
    if found.descriptor.format != MQFMT.RF_HEADER_2:
        return plain
    control, rules = _control(step, request)
    header = read_header(found.descriptor, found.data)
    if header is None:
        if request.asks(PROPERTIES):
            raise NotModelledError("the properties of a message with an MQRFH2 that cannot be read are not modelled")
        return plain
    if not any(folder.holds_properties for folder in header.folders):
        return plain
    _refuse_unclear(found, header)
    step.because(*rules, "PRP-11")
    if control == "COMPATIBILITY":
        compatible = any(folder.is_compatible for folder in header.folders)
        rules = (*rules, "PRP-09" if compatible else "PRP-10")
        control = "ALL" if compatible else "NONE"
    if control == "NONE":
        step.because(*rules, "PRP-12")
        md, data = header.without_properties()
        return Shown(md, data, _open_header(step, request, md, data), (*rules, "PRP-12"))
    step.because(*rules, "PRP-06")
    return replace(plain, latitude=_open_header(step, request, plain.descriptor, plain.data), rules=(*rules, "PRP-06"))


def _control(step: Step, request: GetRequest) -> tuple[Control, tuple[str, ...]]:
    """Return the form that the option asks for or, without one, the queue (PRP-03)."""
    options = request.call.options.options
    asked = [(control, (rule,)) for option, (control, rule) in _OPTIONS.items() if options & option]
    if asked:
        return step.choose("which of the property options counts", asked)
    value = request.queue.definition.property_control
    if value not in _CONTROLS:
        raise NotModelledError(f"PropertyControl {value!r} is not modelled")
    return _CONTROLS[value], ("PRP-03", "PRP-01")


def _refuse_unclear(found: Found, header: RulesHeader) -> None:
    if found.descriptor.msg_flags & MQMF.SEGMENT and not found.reassembled:
        raise NotModelledError("the properties of segments are not modelled")
    if header.rest_descriptor.format == MQFMT.RF_HEADER_2:
        raise NotModelledError("the properties of a message with two MQRFH2 headers are not modelled")


def _open_header(step: Step, request: GetRequest, md: MessageDescriptor, data: bytes) -> dict[str, Latitude]:
    """Return how far a header with properties may differ: the queue manager chooses how it is written."""
    if md.format != MQFMT.RF_HEADER_2:
        return {}
    room = request.call.buffer_length
    cuts = 0 < room < len(data)
    if cuts and step.state.profile.headers_as_put:
        return {}
    if cuts:
        raise NotModelledError("a buffer too short for an MQRFH2 with properties is not modelled")
    asked = asked_for(step, request.call.descriptor, md.format)
    if request.asks(MQGMO.CONVERT) and not asked.alike(Form(md.format, md.coded_char_set_id, md.encoding)):
        raise NotModelledError("MQGMO_CONVERT of an MQRFH2 with properties is not modelled")
    same: Latitude = SameHeader(md, data) if room else Anything()
    return {"data": same, "DataLength": Anything(), "MQGMO.ReturnedLength": Between(-1, room)}
