"""Acts of an administrator while applications run."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from conformance.checks.machines.base import Applications, any_of
from conformance.checks.machines.vocabulary import queues
from oracle.histories.notation import Line


class Administering(Applications):
    """An administrator who changes limits, and in the end lets the queue manager quiesce."""

    @precondition(lambda self: "limits" in self.features)
    @rule(data=st.data())
    def change_a_limit(self, data: st.DataObject) -> None:
        """Change the greatest depth or message length of a queue."""
        queue = any_of(data, tuple(self.QUEUES))
        self.play(Line("alter", queue=queue, attributes=any_of(data, queues.LIMITS)))

    @precondition(lambda self: "quiesce" in self.features and self.may_quiesce())
    @rule()
    def quiesce(self) -> None:
        """Begin to quiesce."""
        self.play(Line("quiesce"))

    def may_quiesce(self) -> bool:
        """Return whether the session is old enough to quiesce, and does not quiesce yet."""
        return len(self.session.exchanges) > 15 and not self.session.state.quiescing
