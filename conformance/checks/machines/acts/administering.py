"""Acts of an administrator while applications run."""

from __future__ import annotations

from typing import ClassVar

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from conformance.checks.machines.base import Applications, any_of
from conformance.checks.machines.search import Search
from conformance.checks.machines.vocabulary import queues
from conformance.checks.machines.vocabulary.word import Group
from oracle.histories.notation import Line
from oracle.mqi.constants import INPUT_OPTIONS, MQGMO


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

    @precondition(lambda self: self._changes < self.CHANGES_MOST and self.has_changes())
    @rule(data=st.data())
    def change_something(self, data: st.DataObject) -> None:
        """Change the greatest depth or message length of a queue, or an interval or limit of the queue manager."""
        self._changes += 1
        of_manager = self.manager_changes()
        if of_manager and ("limits" not in self.features or any_of(data, (False, False, True))):
            members = any_of(data, of_manager).members
            change = tuple((name, int(str(value))) for name, value in members)
            self.play(Line("alter", queue="qmgr", attributes=change))
        else:
            queue = any_of(data, self.queues())
            self.play(Line("alter", queue=queue, attributes=any_of(data, queues.LIMITS)))

    def has_changes(self) -> bool:
        """Return whether the target has anything that can be changed."""
        return "limits" in self.features or bool(self.manager_changes())

    def manager_changes(self) -> Group:
        """Return the words for changes of the queue manager that the target has."""
        return tuple(word for word in queues.MANAGER_CHANGES if self.features.issuperset(word.features))

    @precondition(lambda self: "quiesce" in self.features and self.may_quiesce())
    @rule(data=st.data())
    def quiesce(self, data: st.DataObject) -> None:
        """Begin to quiesce, in one session of four, and make a call that shows it."""
        self._quiesces = any_of(data, (True, False, False, False))
        if self._quiesces:
            self.play(Line("quiesce"))
            for handle in self.handles(INPUT_OPTIONS)[:1]:
                self.play(Line("get", handle=handle, options=MQGMO.FAIL_IF_QUIESCING))

    def may_quiesce(self) -> bool:
        """Return whether the session is old enough to quiesce, and has not decided about it yet."""
        old_enough = len(self.session.exchanges) > 15
        return old_enough and self._quiesces is None and not self.session.state.quiescing
