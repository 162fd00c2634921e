"""The parameters of an MQI call as they stand in a flow, one after the other."""

from __future__ import annotations

from oracle.errors import BadInputError
from oracle.mqi.binary import Layout
from oracle.network.forms import length_on_wire, to_native
from oracle.wire.flows import Flow
from oracle.wire.replies import API_HEADER, Form

_MOST = 1 << 16
"""More parameters of a kind than this no call has."""


class Parameters:
    """Reads the parameters of one call; raises BadInputError where the flow lacks one."""

    def __init__(self, flow: Flow, form: Form, at: int = API_HEADER) -> None:
        self._flow = flow
        self._form = form
        self.at = at

    def structure(self, layout: Layout) -> bytes:
        """Return the structure that stands here, in this process's form.

        A structure that is none comes back as it is, in a length that no version has: the verb says what is wrong.
        """
        data = self._flow.body[self.at :]
        if not layout.starts(data, self._form.charset):
            raise BadInputError(f"an {layout.name} is missing")
        size = length_on_wire(layout, data, self._form.order)
        self.at += size
        return to_native(layout, data[:size], self._form)

    def long(self) -> int:
        """Return the integer that stands here."""
        value = self._flow.long(self.at)
        self.at += 4
        return value

    def count(self) -> int:
        """Return the integer that stands here as a number of things.

        Raises BadInputError for what cannot be one.
        """
        value = self.long()
        if not 0 <= value <= _MOST:
            raise BadInputError(f"{value} is no number of parameters")
        return value

    def longs(self, count: int) -> list[int]:
        """Return so many integers."""
        return [self.long() for _ in range(count)]

    def data(self, length: int) -> bytes:
        """Return so many bytes.

        Raises BadInputError if there are fewer.
        """
        found = self._flow.body[self.at : self.at + length]
        if length < 0 or len(found) < length:
            raise BadInputError(f"{length} bytes of data are announced, and {len(found)} are there")
        self.at += length
        return found

    def has(self, eyecatcher: str) -> bool:
        """Return whether a structure with this identifier stands here."""
        return self._flow.body[self.at : self.at + 4] == eyecatcher.encode(self._form.charset)

    def rest(self) -> bytes:
        """Return what is left."""
        return self._flow.body[self.at :]
