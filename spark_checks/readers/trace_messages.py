"""The contents of one trace message of application activity trace, whichever program printed it.

A trace message is a batch of calls of one connection. `amqsact` and `amqsevt` print the same parameters under different
names and in different forms; here each has one name: the letters, in lower case, and digits of the printed name, "q"
for "queue", and a table for the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from oracle.mqi.constants import MQCC, MQMT, MQOT, MQPER
from oracle.mqi.layouts import ASCII, EBCDIC, ByteOrder, Layout, Values

Value = int | str
Fields = dict[str, Value]

_OTHER_NAMES = {
    "applicationname": "applname",
    "applicationpid": "processid",
    "applicationtid": "threadid",
    "completioncode": "compcode",
    "connname": "connectionname",
    "intervalenddate": "enddate",
    "intervalendtime": "endtime",
    "intervalstartdate": "startdate",
    "intervalstarttime": "starttime",
    "mqgmostructure": "mqgmostruct",
    "mqmdstructure": "mqmdstruct",
    "qmanager": "qmgrname",
    "qmgr": "qmgrname",
    "qmgroperationduration": "qmgropduration",
    "qmanagername": "qmgrname",
    "reason": "reasoncode",
    "reportoptions": "report",
    "resolvedqmgrname": "resolvedqmgr",
    "seqnumber": "sequencenumber",
}

_NAMED = {
    "compcode": ("MQCC", MQCC),
    "msgtype": ("MQMT", MQMT),
    "objecttype": ("MQOT", MQOT),
    "persistence": ("MQPER", MQPER),
    "resolvedtype": ("MQOT", MQOT),
}
"""The constants by whose names the values of a parameter may be printed."""

_VERBS = {
    "CONN": "MQCONN", "CONNX": "MQCONN", "DISC": "MQDISC", "OPEN": "MQOPEN", "CLOSE": "MQCLOSE", "PUT": "MQPUT",
    "PUT1": "MQPUT1", "GET": "MQGET", "CMIT": "MQCMIT", "BACK": "MQBACK", "INQ": "MQINQ", "SET": "MQSET",
    "CB": "MQCB", "CTL": "MQCTL", "CALLBACK": "CALLBACK",
}  # fmt: skip  # pairs
_VERB_NUMBERS = {
    1: "CONN", 2: "DISC", 3: "OPEN", 4: "CLOSE", 5: "PUT1", 6: "PUT", 7: "GET", 9: "INQ", 10: "SET", 11: "BEGIN",
    12: "CMIT", 13: "BACK", 15: "STAT", 16: "CB", 17: "CTL", 18: "CALLBACK", 19: "SUB", 20: "SUBRQ", 21: "XACLOSE",
}  # fmt: skip  # pairs


@dataclass(frozen=True, slots=True)
class Operation:
    """One call as it was printed."""

    line: int
    """The line of its beginning."""
    fields: Fields
    """Its parameters by name (see `field_name`)."""

    @property
    def verb(self) -> str:
        """The call without a prefix, in upper case: PUT1. Empty if the trace does not show it."""
        printed = self.fields.get("operationid", "")
        if isinstance(printed, int) or re.fullmatch("[0-9]{1,9}", printed):
            return _VERB_NUMBERS.get(int(printed), "")
        return re.sub("[^A-Z0-9]", "", printed.upper().removeprefix("MQXF_"))

    @property
    def call(self) -> str | None:
        """The call's name in the event log; None if the log has no such call."""
        return _VERBS.get(self.verb)


@dataclass(frozen=True, slots=True)
class TraceMessage:
    """A trace message: a batch of calls of one connection."""

    source: str
    """The file that has it."""
    line: int
    """The line of its beginning."""
    header: Fields
    """The parameters before its calls, by name."""
    operations: tuple[Operation | None, ...]
    """Its calls. None stands for one that could not be read."""
    connection_id: str | None = None
    """The identifier of the connection, as hexadecimal text. None if it is not printed."""
    created_us: int | None = None
    """The time at which it was put, in microseconds since 1970-01-01 UTC. None if it is not printed."""

    @property
    def qmgr(self) -> str:
        """The queue manager that was traced; empty if the trace does not show it."""
        return text(self.header, "qmgrname") or ""

    @property
    def number(self) -> int:
        """The number of this batch among those of its connection, from 0; -1 if it is not printed."""
        found = number(self.header, "sequencenumber")
        return -1 if found is None else found

    @property
    def application(self) -> str:
        """The identity of a connection whose identifier is not printed: process, thread and channel."""
        thread = next((one.fields.get("threadid") for one in self.operations if one), None)
        parts = [self.header.get(name) for name in ("processid", "channelname", "connectionname", "applname")]
        return "/".join(str(part) for part in (parts[0], thread, *parts[1:]) if part not in (None, ""))

    @property
    def key(self) -> tuple[str, str]:
        """The batches with one key are read together, in order."""
        return self.qmgr, self.connection_id or self.application

    @property
    def order(self) -> int:
        """A number by which batches of one key are sorted, before their place in the file."""
        return self.number if self.connection_id else self.created_us or 0

    def to_json(self) -> str:
        """Return the message as text, for its transfer between tasks."""
        operations = [None if one is None else [one.line, one.fields] for one in self.operations]
        return json.dumps([self.source, self.line, self.header, operations, self.connection_id, self.created_us])

    @staticmethod
    def from_json(encoded: str) -> TraceMessage:
        """Return the message that `to_json` wrote."""
        source, line, header, operations, connection_id, created_us = json.loads(encoded)
        read = tuple(None if one is None else Operation(*one) for one in operations)
        return TraceMessage(source, line, header, read, connection_id, created_us)


def field_name(printed: str) -> str:
    """Return the common name of a parameter.

    >>> field_name("Resolved_local_Q_name"), field_name("resolvedLocalQueueName")
    ('resolvedlocalqname', 'resolvedlocalqname')
    """
    name = re.sub("[^a-z0-9]", "", printed.lower()).replace("queue", "q")
    return _OTHER_NAMES.get(name, name)


def number(fields: Mapping[str, Value], name: str) -> int | None:
    """Return a number in any printed form: -1, "-1", 0x00002044, or the name of a constant.

    None stands for one of more than 64 bits too.
    """
    value = fields.get(name)
    if value is None or isinstance(value, int):
        return within_64_bits(value)
    printed = value.strip()
    if re.fullmatch(r"[+-]?[0-9]{1,20}", printed):
        return within_64_bits(int(printed))
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}", printed):
        return within_64_bits(int(printed, 16))
    return _constant(name, printed)


def within_64_bits(value: int | None) -> int | None:
    """Return a number; None if it has more bits than any parameter."""
    return value if value is not None and -(2**63) <= value < 2**63 else None


def signed(value: int | None) -> int | None:
    """Return the value of an MQLONG that was printed without its sign; None if it is too large."""
    if value is None or not -(2**31) <= value < 2**32:
        return None
    return value - 2**32 if value >= 2**31 else value


def _constant(name: str, printed: str) -> int | None:
    if name not in _NAMED:
        return None
    prefix, group = _NAMED[name]
    wanted = re.sub("[^A-Z0-9]", "", printed.upper().removeprefix(f"{prefix}_")).replace("QUEUE", "Q")
    for constant, value in group.members().items():
        if constant.replace("_", "") == wanted and isinstance(value, int):
            return value
    return None


def text(fields: Mapping[str, Value], name: str) -> str | None:
    """Return a character string without its padding; None if it was not printed or is blank."""
    value = fields.get(name)
    return None if value is None else str(value).partition("\0")[0].rstrip() or None


def identifier(fields: Mapping[str, Value], name: str) -> str | None:
    """Return a byte string of 24 bytes as hexadecimal text; None if it was not printed as one."""
    value = str(fields.get(name, "")).lower()
    return value if re.fullmatch("[0-9a-f]{48}", value) else None


def structure(fields: Mapping[str, Value], name: str, layout: Layout) -> Values | None:
    """Return a dumped structure, in any byte order and character set; None if there is none.

    Raises BadInputError for a dump of anything else.
    """
    dump = str(fields.get(name, "")).strip()
    if not dump:
        return None
    digits = dump if len(dump) % 2 == 0 and re.fullmatch("[0-9a-fA-F]*", dump) else ""
    data = bytes.fromhex(digits)
    charset = EBCDIC if layout.starts(data, EBCDIC) else ASCII
    order: ByteOrder = "little" if data[4:8].endswith(b"\0\0") else "big"
    return layout.decode(data, order, charset)
