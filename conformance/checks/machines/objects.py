"""The machine about objects besides local queues: aliases, remote and dynamic queues, triggers, reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from conformance.checks.machines.acts.browsing import Browsing
from conformance.checks.machines.acts.inhibiting import Inhibiting
from conformance.checks.machines.acts.inquiring import Inquiring
from conformance.checks.machines.acts.leaving import Leaving
from conformance.checks.machines.acts.putting import Putting
from conformance.checks.machines.acts.working import Working
from conformance.checks.machines.base import any_of
from conformance.checks.machines.vocabulary import puts, queues
from conformance.sessions.session import Setup
from oracle.histories.notation import Line
from oracle.mqi.constants import MQCO, MQOO

_DYNAMIC: Final = "D.1"
"""The name of a dynamic queue: a fixed one, so that others can open it."""

_DEFINED: Final[tuple[tuple[dict[str, Any], tuple[str, ...]], ...]] = (
    ({"name": "L", "type": "alias", "target": "Q"}, ()),
    ({"name": "X", "Usage": "TRANSMISSION"}, ("transmission",)),
    ({"name": "R", "type": "remote", "rqmname": "QM2", "rname": "THERE", "xmitq": "X"}, ("transmission",)),
    ({"name": "M", "type": "model"}, ("dynamic-queues",)),
    ({"name": "N", "type": "model", "DefinitionType": "PERMANENT_DYNAMIC"}, ("dynamic-queues",)),
    ({"name": "I"}, ("trigger",)),
    ({"name": "DEAD"}, ("dead-letter",)),
)
_OF_MODEL: Final = ("M", "N")


class Objects(Inhibiting, Browsing, Inquiring, Working, Leaving, Putting):
    """Every kind of object that the target claims, with queues that trigger and messages that ask for reports."""

    QUEUES: ClassVar = {"Q": (queues.TRIGGERS, queues.DEPTHS), "F": (queues.FIFO, queues.DEPTHS)}
    HANDLES_MOST = 7
    MESSAGES_MOST = 10
    PUT_WORDS = (puts.PUT_SYNCPOINTS, puts.PRIORITIES, puts.PERSISTENCES, puts.REPORTS)
    CAREFUL = True

    def setup(self, data: st.DataObject) -> Setup:
        """Return the queue manager of a session, with every object that the target claims."""
        plain = super().setup(data)
        defined = tuple(each for each, needed in _DEFINED if self.features.issuperset(needed))
        dead = {"DeadLetterQName": "DEAD"} if "dead-letter" in self.features else {}
        return Setup((*plain.queues, *defined), {**plain.qmgr, **dead})

    @precondition(lambda self: len(self.session.state.handles) < self.HANDLES_MOST)
    @rule(data=st.data())
    def open_an_object(self, data: st.DataObject) -> None:
        """Open any object, or an existing dynamic queue."""
        names = [name for name in self._names_of_objects() if name not in self.queues()]
        conn, name = any_of(data, self.free(self.CONNECTIONS)), any_of(data, names)
        self.connect(conn)
        options = MQOO.OUTPUT if name == "R" else self.word(data, self.OPENINGS).options
        members = (("DynamicQName", _DYNAMIC),) if name in _OF_MODEL else ()
        self.play(Line("open", conn, name=self.new_name("h"), queue=name, options=options, members=members))

    @precondition(lambda self: "dynamic-queues" in self.features and self._dynamic_handles())
    @rule(data=st.data())
    def close_a_dynamic_queue(self, data: st.DataObject) -> None:
        """Close a handle of a dynamic queue, and perhaps delete the queue."""
        options = any_of(data, (0, int(MQCO.DELETE), int(MQCO.DELETE_PURGE)))
        self.play(Line("close", handle=any_of(data, self._dynamic_handles()), options=options))

    def put1_queues(self) -> Sequence[str]:
        """Return the names to which MQPUT1 puts: without model queues, which the protocol excludes."""
        return [name for name in self._names_of_objects() if name not in _OF_MODEL]

    def _names_of_objects(self) -> list[str]:
        state = self.session.state
        return [*state.queues, *state.definitions]

    def _dynamic_handles(self) -> list[str]:
        return [name for name in self.handles() if self.opened(name).queue == _DYNAMIC]
