"""Closing handles, disconnecting, dying."""

from __future__ import annotations

from random import Random

from conformance.checks.machines.acting import act
from conformance.checks.machines.base import Applications, any_of
from oracle.histories.notation import Line


class Leaving(Applications):
    """Applications that end."""

    @act(lambda self: self.session.state.connections)
    def leave(self, draws: Random) -> None:
        """Close a handle, or, more rarely, disconnect or die."""
        connected, handles = tuple(self.session.state.connections), self.handles()
        verb = any_of(draws, ("close", "close", "close", "disc", "fail")) if handles else "fail"
        if verb == "close":
            self.play(Line("close", handle=any_of(draws, handles)))
        else:
            self.play(Line(verb, any_of(draws, connected if verb == "fail" else self.free(connected))))
