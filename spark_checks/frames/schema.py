"""The canonical event log in frames and Arrow: the columns of docs/event-log.md with their exact types.

A `LONG` is 64 bits and an `INT` 32 bits wide, as that page says; option bits that a capture holds as an
unsigned number are the same bits as a signed one here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oracle.histories.event_log import COLUMNS

if TYPE_CHECKING:
    import pyarrow as pa

LONG_COLUMNS = frozenset({"seq", "start_us", "end_us", "put_us", "line"})
TEXT_COLUMNS = frozenset(
    {
        "qmgr", "conn", "call", "queue", "object_name", "sel_msg_id", "sel_correl_id", "sel_group_id", "sel_token",
        "msg_id", "correl_id", "group_id", "format", "reply_to_q", "group_status", "segment_status", "digest", "source",
    }
)  # fmt: skip  # names
INT_COLUMNS = frozenset(COLUMNS) - LONG_COLUMNS - TEXT_COLUMNS
REQUIRED_COLUMNS = ("qmgr", "conn", "seq", "start_us", "end_us", "call")
HEX_DIGITS = {
    "sel_msg_id": 48, "sel_correl_id": 48, "sel_group_id": 48, "msg_id": 48, "correl_id": 48, "group_id": 48,
    "sel_token": 32, "digest": 64,
}  # fmt: skip  # pairs
"""The columns with hexadecimal text, and the number of digits of each."""

KIND, NOTE = "kind", "note"
CALL, HEADER, FAULT = "call", "header", "fault"
LISTED, LISTING, REMARK, BEGUN, READ = "listed", "listing", "remark", "begun", "read"
WHOLE, PART = "whole", "part"
"""The kinds of rows read from an input.

A row is a call; a header, with its text in `note`; or a record that could not be read, or the point from which a file
could not be read, with the reason in `note`. It may also be a message in a listing of a queue's contents, or the
listing itself, with the number of messages in `seq` and in `note` whether these were all. Finally, it may be a reader's
remark on a file, or its unfinished work at the end of its files, in `note`; or the `line` up to which a file was read.
"""


def type_of(column: str) -> str:
    """Return the type of a canonical column."""
    if column in TEXT_COLUMNS:
        return "string"
    return "long" if column in LONG_COLUMNS else "int"


LOG_SCHEMA = {name: type_of(name) for name in COLUMNS}
"""The schema of an event log."""

ROW_SCHEMA = {KIND: "string", NOTE: "string", **LOG_SCHEMA}
"""The schema of readers' output: calls, headers and faults in one stream."""


def arrow_types() -> dict[str, pa.DataType]:
    """Return the Arrow type of each canonical column."""
    import pyarrow as pa  # heavy, and needed on executors only

    return {
        name: pa.string() if name in TEXT_COLUMNS else pa.int64() if name in LONG_COLUMNS else pa.int32()
        for name in COLUMNS
    }
