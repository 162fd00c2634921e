"""The flows in the bytes of a client: nothing is skipped, and nothing longer than agreed is kept."""

from __future__ import annotations

from typing import Final

from oracle.errors import BadInputError
from oracle.wire.flows import Flow
from oracle.wire.headers import FIRST, LAST, LONGEST_HEADER, Header, may_become_header, read_header

LONGEST_FIRST: Final = 32768
"""The greatest length of a segment before both ends have agreed on one, in bytes."""

_BESIDE_DATA: Final = 8192
"""The greatest length of the structures before a message's data in a flow, in bytes."""

_TLS_HELLO: Final = b"\x16\x03"

Received = tuple[Header, Flow]


class Inbound:
    """The input of one client. `longest_segment` and `longest_message` are limits in bytes."""

    def __init__(self) -> None:
        self.longest_segment = LONGEST_FIRST
        self.longest_message = 0
        self._buffer = bytearray()
        self._begun: dict[tuple[int, int, int], list[bytes]] = {}
        self._kept = 0

    @property
    def incomplete(self) -> bool:
        """Whether a flow is incomplete."""
        return bool(self._buffer or self._begun)

    def add(self, data: bytes) -> None:
        """Take the next bytes."""
        self._buffer += data

    def take(self) -> Received | None:
        """Return the next whole flow with the header of its last segment; None if there is none yet.

        Raises BadInputError for bytes that are not a channel's, or longer than agreed; nothing more can be read then.
        """
        while self._buffer:
            head = bytes(self._buffer[:LONGEST_HEADER])
            header = read_header(head)
            if header is None:
                if may_become_header(head):
                    return None
                raise BadInputError(self._what_it_is())
            if header.length > self.longest_segment:
                raise BadInputError(f"a segment of {header.length} bytes, where {self.longest_segment} are agreed")
            if len(self._buffer) < header.length:
                return None
            body = bytes(self._buffer[header.size : header.length])
            del self._buffer[: header.length]
            if header.compressed:
                raise BadInputError("compressed data, which were not agreed")
            whole = self._joined(header, body)
            if whole is not None:
                return header, _flow(header, whole)
        return None

    def _joined(self, header: Header, body: bytes) -> bytes | None:
        """Return the body of the flow that a segment completes; None if more is to come."""
        if not header.splits or (header.control & FIRST and header.control & LAST):
            return body
        if header.control & FIRST:
            self._forget(header)
            self._begun[header.key] = []
        parts = self._begun.get(header.key)
        if parts is None:
            raise BadInputError("a segment that continues nothing")
        parts.append(body)
        self._kept += len(body)
        if self._kept > self.longest_message + _BESIDE_DATA:
            raise BadInputError(f"a message of more than {self.longest_message} bytes, which are agreed")
        if not header.control & LAST:
            return None
        self._forget(header)
        return b"".join(parts)

    def _forget(self, header: Header) -> None:
        self._kept -= sum(map(len, self._begun.pop(header.key, ())))

    def _what_it_is(self) -> str:
        if self._buffer.startswith(_TLS_HELLO):
            return "a TLS hello on a port without TLS: give --certificate and --key, or connect without a CipherSuite"
        return f"not a channel of MQ: it begins with {bytes(self._buffer[:8]).hex()}"


def _flow(header: Header, body: bytes) -> Flow:
    return Flow(
        kind=header.kind,
        conversation=header.conversation,
        request=header.request,
        control=header.control,
        order=header.order,
        charset=header.charset,
        body=body,
    )
