"""Calls on a queue by the name of an alias, of which a log has the name alone; few logs have its definition.

An alias has attributes of its own: defaults of Priority and Persistence, InhibitGet and InhibitPut, and CAPEXPRY, of
which the lowest on the way counts (CAP-01). Where none of them can matter a call is the same as on the queue itself.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from oracle.errors import Place
from oracle.histories.event_log import Event
from oracle.mqi.constants import MQCC, MQPER, MQPRI, MQRC
from oracle.replay.steps import Replayed, UndecidedError

_BY_ITS_ATTRIBUTES: Final = (MQRC.GET_INHIBITED, MQRC.PUT_INHIBITED)
"""The reasons for which an alias may be the cause."""


@dataclass
class Aliases:
    """The handles that were opened by an alias without a definition, and the messages that were put by one."""

    defined: Collection[str] = ()
    """The names with a definition."""
    handles: dict[tuple[str, int | None], str] = field(default_factory=dict)
    """The name of the alias by the connection and the number of each handle."""
    messages: set[str | None] = field(default_factory=set)
    """By MsgId, the messages, which may expire earlier than their put says."""

    def resolved(self, event: Event, place: Place) -> Event:
        """Return a call as one on the queue itself.

        Raises UndecidedError if it rests on an attribute of the alias.
        """
        name = self._name(event)
        if name is None:
            return event
        if event.reason in _BY_ITS_ATTRIBUTES:
            raise UndecidedError(f"the log does not hold the definition of the alias {name}", place)
        by_default = event.priority == MQPRI.PRIORITY_AS_Q_DEF or event.persistence == MQPER.PERSISTENCE_AS_Q_DEF
        if event.call in ("MQPUT", "MQPUT1") and by_default:
            raise UndecidedError(f"the log does not hold the defaults of the alias {name}", place)
        return event.model_copy(update={"object_name": event.queue})

    def note(self, event: Event) -> None:
        """Take a call that was followed into account."""
        name, handle = self._name(event), (event.conn, event.hobj)
        if event.comp_code == MQCC.FAILED:
            return
        if event.call == "MQOPEN" and name is not None:
            self.handles[handle] = name
        elif event.call in ("MQOPEN", "MQCLOSE"):
            self.handles.pop(handle, None)
        elif event.call in ("MQPUT", "MQPUT1") and name is not None:
            self.messages.add(event.msg_id)

    def may_explain(self, step: Replayed) -> bool:
        """Return whether a departure may be due to the CAPEXPRY of an alias: a message by it is involved or expired."""
        if not self.messages:
            return False
        replies = [outcome.reply for outcome in step.followed.allowed]
        involved = {reply.descriptor.msg_id.hex() for reply in replies if reply.descriptor is not None}
        seen = step.observed.members.get("MQMD.MsgId")
        involved |= {seen.hex()} if isinstance(seen, bytes) else set()
        full = any(reply.reason == MQRC.Q_FULL for reply in replies)
        return full or not self.messages.isdisjoint(involved)

    def _name(self, event: Event) -> str | None:
        """Return the name of the alias of a call; None for a call by the name of the queue."""
        if event.call in ("MQOPEN", "MQPUT1"):
            return None if event.object_name in (event.queue, *self.defined) else event.object_name
        return self.handles.get((event.conn, event.hobj))
