"""Closing handles, disconnecting, dying."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from conformance.checks.machines.base import Applications, any_of
from oracle.histories.notation import Line


class Leaving(Applications):
    """Applications that end."""

    @precondition(lambda self: self.session.state.connections)
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        """Close a handle, or, more rarely, disconnect or die."""
        connected, handles = tuple(self.session.state.connections), self.handles()
        verb = any_of(data, ("close", "close", "close", "disc", "fail")) if handles else "fail"
        if verb == "close":
            self.play(Line("close", handle=any_of(data, handles)))
        else:
            self.play(Line(verb, any_of(data, connected if verb == "fail" else self.free(connected))))
