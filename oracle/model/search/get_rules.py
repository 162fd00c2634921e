"""The rules that bear on an MQGET by its options, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import attrgetter, eq
from typing import Final

from oracle.model.requests.get import GetRequest
from oracle.model.requests.option_matrix import BROWSE, GROUPING, KNOWN, SCANS
from oracle.mqi.constants import MQGMO, MQMO, NULL_ID
from oracle.mqi.structures import MessageDescriptor

GROUP_MATCHES: Final = MQMO.MATCH_GROUP_ID | MQMO.MATCH_MSG_SEQ_NUMBER | MQMO.MATCH_OFFSET
"""The match options that compare fields of a version 2 descriptor."""

_SYNCPOINTS: Final = MQGMO.SYNCPOINT | MQGMO.NO_SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT


@dataclass(frozen=True, slots=True)
class _Pair:
    """A rule that allows any of some options beside any of some others."""

    options: int
    beside: int
    rule: str


_PAIRS: Final = (
    _Pair(SCANS, GROUPING, "BRW-12"),
    _Pair(SCANS, MQGMO.WAIT, "WAI-08"),
    _Pair(BROWSE, MQGMO.NO_SYNCPOINT, "SYN-10"),
    _Pair(MQGMO.MSG_UNDER_CURSOR, _SYNCPOINTS, "OPT-16"),
    _Pair(MQGMO.COMPLETE_MSG, KNOWN & ~MQGMO.COMPLETE_MSG, "OPT-29"),
    _Pair(MQGMO.ALL_MSGS_AVAILABLE, KNOWN & ~MQGMO.ALL_MSGS_AVAILABLE, "OPT-30"),
    _Pair(MQGMO.ALL_SEGMENTS_AVAILABLE, KNOWN & ~MQGMO.ALL_SEGMENTS_AVAILABLE, "OPT-30"),
    _Pair(MQGMO.LOGICAL_ORDER, KNOWN & ~MQGMO.LOGICAL_ORDER, "OPT-31"),
)


@cache
def rules_of_options(options: int) -> tuple[str, ...]:
    """Return the rules by which a set of MQGMO options is accepted, and is taken by its bits."""
    if not options:
        return ("OPT-03", "OPT-36")
    rules = [pair.rule for pair in _PAIRS if options & pair.options and options & pair.beside]
    if options & MQGMO.NO_SYNCPOINT:
        rules.append("OPT-02")
    if options.bit_count() > 1:
        rules += ("OPT-01", "OPT-04")
    return tuple(rules)


@dataclass(frozen=True, slots=True)
class _Match:
    """A match option: the field that it compares, the rules when it does, and the rule when null matches anything."""

    option: int
    field: str
    initial: object
    compared: tuple[str, ...] = ()
    wildcard: str | None = None


_MATCHES: Final = (
    _Match(MQMO.MATCH_MSG_ID, "msg_id", NULL_ID, ("MTC-18",), "MTC-02"),
    _Match(MQMO.MATCH_CORREL_ID, "correl_id", NULL_ID, ("MTC-19",), "MTC-03"),
    _Match(MQMO.MATCH_GROUP_ID, "group_id", NULL_ID, ("IDS-10",), "MTC-04"),
    _Match(MQMO.MATCH_MSG_SEQ_NUMBER, "msg_seq_number", 1, ("MTC-05",)),
    _Match(MQMO.MATCH_OFFSET, "offset", 0, ("MTC-05",)),
)

_fields: Final = attrgetter(*(match.field for match in _MATCHES))
_INITIAL: Final = tuple(match.initial for match in _MATCHES)

_OF_INDEX: Final = {
    "MSG_ID": MQMO.MATCH_MSG_ID,
    "CORREL_ID": MQMO.MATCH_CORREL_ID,
    "GROUP_ID": MQMO.MATCH_GROUP_ID,
}
"""The match option that an index of z/OS is surely made for, by IndexType."""


def compared_by(request: GetRequest) -> int:
    """Return the match options that exclude some message: those given without a null identifier."""
    return _compared(request.match_options, _initial_fields(request.call.descriptor))


def _initial_fields(md: MessageDescriptor) -> tuple[bool, ...]:
    """Return whether each field that a match option compares has its initial value, which for an identifier is null."""
    return tuple(map(eq, _fields(md), _INITIAL))


@lru_cache(maxsize=1024)
def _compared(options: int, initial: tuple[bool, ...]) -> int:
    """Return the match options that exclude some message. Cached by these values."""
    for match, unset in zip(_MATCHES, initial, strict=True):
        if match.wildcard is not None and unset:
            options &= ~match.option
    return options


def foreign_to_index(request: GetRequest) -> bool:
    """Return whether the call selects by something that the queue's index is not made for (MTC-17).

    MQMO_MATCH_GROUP_ID may count as given although the GroupId is null and matches everything (AMB-108).
    """
    selecting = compared_by(request) | request.match_options & MQMO.MATCH_GROUP_ID
    return bool(selecting & ~_OF_INDEX.get(request.queue.definition.index_type, 0))


def match_rules(request: GetRequest) -> tuple[str, ...]:
    """Return the rules by which the match options choose the message.

    With a current group there is only one message that they can fit (MTC-11).
    """
    continues = request.logical_order and request.information.unfinished
    initial = _initial_fields(request.call.descriptor)
    return _match_rules(request.call.options.version, request.match_options, initial, request.scans, continues)


@lru_cache(maxsize=1024)
def _match_rules(
    version: int, options: int, initial: tuple[bool, ...], scans: bool, continues: bool
) -> tuple[str, ...]:
    """Return the rules of the match options in force. Cached by these values. `continues` is a current group."""
    return tuple(_rules_of_matches(version, options, initial, scans=scans, continues=continues))


def _rules_of_matches(
    version: int, options: int, initial: tuple[bool, ...], *, scans: bool, continues: bool
) -> Iterator[str]:
    compared = _compared(options, initial)
    if scans and compared & GROUP_MATCHES:
        yield "BRW-12"
    if continues:
        yield from ("MTC-11",) if compared else ()
        return
    if compared:
        yield "MTC-01"
    if compared & MQMO.MATCH_MSG_TOKEN:
        yield "MTC-13"
    for match, unset in zip(_MATCHES, initial, strict=True):
        if compared & match.option:
            yield from match.compared
        elif not options & match.option:
            yield from () if unset else ("MTC-08",)
        elif match.wildcard is not None:
            yield match.wildcard
    if version == 1:
        yield "MTC-07"
    elif options == MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID:
        yield "MTC-06"
