"""The parameters of an MQI call in a flow, one after the other."""

from __future__ import annotations

from oracle.errors import BadInputError
from oracle.mqi.binary import Layout
from oracle.network.forms import length_on_wire, to_native
from oracle.wire.flows import Flow
from oracle.wire.replies import API_HEADER, Form

_MOST = 1 << 16
"""A number of parameters of one kind that no call exceeds."""


class Parameters:
    """A reader of one call's parameters. Raises BadInputError if the flow lacks one."""

    def __init__(self, flow: Flow, form: Form, at: int = API_HEADER) -> None:
        self._flow = flow
        self._form = form
        self.at = at

    def structure(self, layout: Layout) -> bytes:
        """Return the next structure, in this process's form.

        An invalid structure is returned unchanged, with a length that no version has; the verb reports the mistake.
        """
        data = self._flow.body[self.at :]
        if not layout.starts(data, self._form.charset):
            raise BadInputError(f"an {layout.name} is missing")
        size = length_on_wire(layout, data, self._form.order)
        self.at += size
        return to_native(layout, data[:size], self._form)

    def long(self) -> int:
        """Return the next integer."""
        value = self._flow.long(self.at)
        self.at += 4
        return value

    def count(self) -> int:
        """Return the next integer as a number of things.

        Raises BadInputError for what cannot be one.
        """
        value = self.long()
        if not 0 <= value <= _MOST:
            raise BadInputError(f"{value} is not a number of parameters")
        return value

    def longs(self, count: int) -> list[int]:
        """Return the next integers."""
        return [self.long() for _ in range(count)]

    def data(self, length: int) -> bytes:
        """Return the next bytes.

        Raises BadInputError if there are fewer.
        """
        found = self._flow.body[self.at : self.at + length]
        if length < 0 or len(found) < length:
            raise BadInputError(f"{length} bytes of data are announced, and {len(found)} are there")
        self.at += length
        return found

    def has(self, eyecatcher: str) -> bool:
        """Return whether the next structure has this identifier."""
        return self._flow.body[self.at : self.at + 4] == eyecatcher.encode(self._form.charset)

    def rest(self) -> bytes:
        """Return the remaining bytes."""
        return self._flow.body[self.at :]
