"""Inquiring about queues."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from conformance.checks.machines.base import Applications, any_of
from conformance.checks.machines.vocabulary import queues
from oracle.histories.notation import Line
from oracle.mqi.constants import MQOO


class Inquiring(Applications):
    """Applications that inquire."""

    @precondition(lambda self: "inquire" in self.features and self.handles(MQOO.INQUIRE))
    @rule(data=st.data())
    def inquire(self, data: st.DataObject) -> None:
        """Inquire the depth, or other attributes."""
        handle = any_of(data, self.handles(MQOO.INQUIRE))
        self.play(Line("inq", handle=handle, inquired=any_of(data, queues.INQUIRIES)))
