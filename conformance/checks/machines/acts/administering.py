"""Acts of an administrator while applications run."""

from __future__ import annotations

from typing import ClassVar

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from conformance.checks.machines.base import Applications, any_of
from conformance.checks.machines.search import Search
from conformance.checks.machines.vocabulary import queues
from oracle.histories.notation import Line


class Administering(Applications):
    """An administrator who changes limits, and in the end may let the queue manager quiesce.

    Few changes and few endings: most calls of a session are to be those of applications.
    """

    CHANGES_MOST: ClassVar[int] = 3
    """The greatest number of changes of limits in a session."""

    def __init__(self, search: Search) -> None:
        super().__init__(search)
        self._changes = 0
        self._quiesces: bool | None = None

    @precondition(lambda self: "limits" in self.features and self._changes < self.CHANGES_MOST)
    @rule(data=st.data())
    def change_a_limit(self, data: st.DataObject) -> None:
        """Change the greatest depth or message length of a queue."""
        self._changes += 1
        queue = any_of(data, self.queues())
        self.play(Line("alter", queue=queue, attributes=any_of(data, queues.LIMITS)))

    @precondition(lambda self: "quiesce" in self.features and self.may_quiesce())
    @rule(data=st.data())
    def quiesce(self, data: st.DataObject) -> None:
        """Begin to quiesce, in one session of four."""
        self._quiesces = any_of(data, (True, False, False, False))
        if self._quiesces:
            self.play(Line("quiesce"))

    def may_quiesce(self) -> bool:
        """Return whether the session is old enough to quiesce, and has not decided about it yet."""
        old_enough = len(self.session.exchanges) > 15
        return old_enough and self._quiesces is None and not self.session.state.quiescing
