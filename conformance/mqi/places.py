"""The queues of a check: they are made under the prefix, or exist already."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Protocol

from conformance.mqi.administrator import Administrator, leave
from conformance.mqi.attributes import DEFINED, OF_TYPE, inquired, selectors
from conformance.mqi.definitions import distinguishing
from conformance.mqi.dispatch import Application, Dispatcher
from conformance.mqi.names import Names
from conformance.mqi.options import MqiOptions
from conformance.mqi.structures import get_options, object_descriptor, pack
from conformance.mqi.troubles import of_command
from oracle.errors import InapplicableError, TargetError, UsageError
from oracle.mqi.constants import MQCC, MQCO, MQGMO, MQOO, MQRC
from oracle.mqi.layouts import MQMD

_CLOSING_S: Final = 5.0
"""The time for which the handles of dead applications may keep a queue open."""

_SET_BY_CALLS: Final = (
    "InhibitGet",
    "InhibitPut",
    "TriggerControl",
    "TriggerType",
    "TriggerDepth",
    "TriggerMsgPriority",
)
"""The numbers that MQSET can change."""


class Places(Protocol):
    """A provider of the queues of a check."""

    def make(self, queues: Sequence[Mapping[str, Any]]) -> None:
        """Provide exactly these queues, all empty. Raises InapplicableError if that is impossible here."""

    def alter(self, queue: str, attributes: Mapping[str, Any]) -> None:
        """Change attributes of a queue. Raises InapplicableError if that is impossible here."""

    def connected(self, identifier: bytes) -> bool | None:
        """Return whether a connection still exists; None if that cannot be asked."""

    def rest(self) -> None:
        """Release what others may need."""

    def close(self) -> None:
        """Remove everything."""


class MadeQueues:
    """A provider that makes queues under the prefix and removes them.

    Raises UsageError if others work under it.
    """

    def __init__(self, administrator: Administrator, names: Names, options: MqiOptions) -> None:
        self._administrator, self._names = administrator, names
        self._queues: dict[str, Mapping[str, Any]] = {}
        administrator.open(names.prefix)
        others = [
            name for name in administrator.queues(f"{options.queue_prefix}.") if not name.startswith(options.own_prefix)
        ]
        if others:
            administrator.close()
            raise UsageError(
                f"there are queues such as {min(others)} already: another run is going on, or one was killed; give "
                "another --queue-prefix, or delete them"
            )
        self._try_out()

    def make(self, queues: Sequence[Mapping[str, Any]]) -> None:
        """Remove the existing queues and make these."""
        self._remove_all()
        self._queues = {}
        for queue in queues:
            self._queues[queue["name"]] = queue
            self._administrator.create(queue, self._names)

    def alter(self, queue: str, attributes: Mapping[str, Any]) -> None:
        """Change attributes of a queue by command; one that was not made here is dynamic."""
        definition = self._queues.get(queue, {"name": queue})
        self._administrator.alter(definition, attributes, self._names)

    def connected(self, identifier: bytes) -> bool | None:
        """Return whether a connection still exists."""
        return self._administrator.connected(identifier)

    def rest(self) -> None:
        """Keep the queues, which nobody else needs; they are removed before others are made."""

    def close(self) -> None:
        """Remove all queues and leave."""
        try:
            self._remove_all()
        finally:
            leave(self._administrator)

    def _try_out(self) -> None:
        """Make a queue and remove it, so that a missing authority shows before the first check."""
        try:
            self._administrator.create({"name": "PROBE"}, self._names)
            self._administrator.delete(self._names.out("PROBE"), "local")
        except (InapplicableError, UsageError) as error:
            leave(self._administrator)
            raise UsageError(str(error)) from error

    def _remove_all(self) -> None:
        deadline = time.monotonic() + _CLOSING_S
        while left := self._administrator.queues(self._names.prefix):
            left = {name: kind for name, kind in left.items() if not self._administrator.delete(name, kind)}
            if not left:
                return
            if time.monotonic() > deadline:
                raise TargetError(f"the queue {min(left)} is still open although nobody should have it open")
            time.sleep(0.05)


@dataclass
class _Stock:
    """The predefined queues that no target of this process uses."""

    changed: threading.Condition = field(default_factory=threading.Condition)
    taken: set[str] = field(default_factory=set)


class PredefinedQueues:
    """A provider that takes existing queues, by their attributes, and empties them.

    Raises UsageError if one of them cannot be used.
    """

    _stock: ClassVar = _Stock()
    """The queues that targets of this process use."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        application: Application,
        names: Names,
        predefined: Sequence[str],
        platform: str,
    ) -> None:
        self._dispatcher, self._application, self._names = dispatcher, application, names
        self._platform = platform
        self._attributes = {name: self._inquire(name) for name in predefined}
        self._kinds = {
            name: distinguishing({**attributes, "name": name}, platform)
            for name, attributes in self._attributes.items()
        }
        self._taken: dict[str, str] = {}

    def make(self, queues: Sequence[Mapping[str, Any]]) -> None:
        """Take queues with these definitions, and empty them."""
        self._give_back()
        for queue in queues:
            if not distinguishing(queue, self._platform):
                raise InapplicableError(f"a queue like {queue['name']} of this check cannot be predefined")
        with self._stock.changed:
            while (found := self._choose(queues, self._stock.taken)) is None:
                if self._choose(queues, set()) is None:
                    raise InapplicableError(
                        f"no queues are predefined as {_in_words(queues)}; mq-conform mqsc prints some"
                    )
                self._stock.changed.wait()
            self._stock.taken |= set(found.values())
            self._taken = self._names.queues = found
        for name in found.values():
            self._empty(name)

    def alter(self, queue: str, attributes: Mapping[str, Any]) -> None:  # noqa: ARG002 - as all
        """Refuse, because this needs a command."""
        raise InapplicableError(f"{', '.join(attributes)} cannot be changed without commands")

    def connected(self, identifier: bytes) -> bool | None:  # noqa: ARG002 - as all
        """Return None, because this needs a command."""
        return None

    def rest(self) -> None:
        """Empty the queues and release them."""
        self._give_back()

    def close(self) -> None:
        """Empty the queues and release them."""
        self._give_back()

    def _choose(self, wanted: Sequence[Mapping[str, Any]], taken: set[str]) -> dict[str, str] | None:
        """Return a queue for each definition, or None."""
        chosen: dict[str, str] = {}
        for queue in wanted:
            key = distinguishing(queue, self._platform)
            free = (
                name for name, has in self._kinds.items() if has == key and name not in taken | set(chosen.values())
            )
            name = next(free, None)
            if name is None:
                return None
            chosen[queue["name"]] = name
        return chosen

    def _give_back(self) -> None:
        for name in self._taken.values():
            self._empty(name)
        with self._stock.changed:
            self._stock.taken -= set(self._taken.values())
            self._stock.changed.notify_all()
        self._taken, self._names.queues = {}, {}

    def _inquire(self, name: str) -> dict[str, Any]:
        hobj = self._open(name, MQOO.INQUIRE)
        wanted = (*OF_TYPE["local"], "IndexType") if self._platform == "zos" else OF_TYPE["local"]
        attributes = [DEFINED[each] for each in wanted]
        integers, text, comp_code, reason = self._call("inquire", hobj, *selectors(attributes))
        self._call("close", hobj, MQCO.NONE)
        if comp_code == MQCC.FAILED:
            raise of_command(self._dispatcher.manager, f"inquiring about {name}", reason)
        return dict(zip(wanted, inquired(attributes, integers, text), strict=True))

    def _empty(self, name: str) -> None:
        hobj = self._open(name, MQOO.INPUT_EXCLUSIVE | MQOO.SET)
        has = self._attributes[name]
        self._call("set", hobj, [DEFINED["InhibitGet"].selector], [0], b"")
        outside = Names("")
        options = get_options({"Options": MQGMO.NO_SYNCPOINT | MQGMO.ACCEPT_TRUNCATED_MSG}, outside)
        while self._call("get", hobj, pack(MQMD, {}, outside), options, 0)[-2] != MQCC.FAILED:
            pass
        numbers = [DEFINED[each].selector for each in _SET_BY_CALLS]
        data = DEFINED["TriggerData"]
        text = str(has["TriggerData"]).encode("latin-1").ljust(data.length)
        self._call("set", hobj, [*numbers, data.selector], [has[each] for each in _SET_BY_CALLS], text)
        self._call("close", hobj, MQCO.NONE)

    def _open(self, name: str, options: int) -> int:
        od = object_descriptor(name, {}, Names(""))
        deadline = time.monotonic() + _CLOSING_S
        while True:
            hobj, _, comp_code, reason = self._call("open", od, options)
            if comp_code != MQCC.FAILED:
                return int(hobj)
            if reason != MQRC.OBJECT_IN_USE or time.monotonic() > deadline:
                raise of_command(self._dispatcher.manager, f"opening {name}", reason)
            time.sleep(0.05)

    def _call(self, method: str, *arguments: Any) -> Any:
        return self._dispatcher.direct(self._application, method, self._application.connection.hconn, *arguments)


def _in_words(wanted: Sequence[Mapping[str, Any]]) -> str:
    """Return definitions in words."""
    return " and ".join(
        f"{queue['name']}({', '.join(f'{name} {value}' for name, value in queue.items() if name != 'name')})"
        for queue in wanted
    )
