"""Random traffic with a known truth that goes beyond plain queues.

It has triggers, aliases, dynamic queues, marks of a cooperating set, and on z/OS signals and MARK_SKIP_BACKOUT.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from oracle.histories.recording import Recorder
from oracle.model.queue_manager import new_state
from oracle.mqi.definitions import QueueDefinition, define
from oracle.mqi.profile import PlatformName, Profile
from tests.spark_checks.histories import Record
from tests.spark_checks.known_truth import KnownTraffic

_TRIGGERED: Final = {"TriggerControl": 1, "InitiationQName": "I", "ProcessName": "P"}
_ALIASES: Final = {"AQ": "Q", "AR": "R"}
_OPTIONS: Final = "BROWSE+INPUT_SHARED+OUTPUT+INQUIRE"
_CO_OP: Final = "BROWSE+INPUT_SHARED+CO_OP"
_DYNAMIC: Final = ("D1", "D1", "D2", "D*")

_MARKED_GETS: Final = (
    "BROWSE_NEXT+UNMARKED_BROWSE_MSG+MARK_BROWSE_CO_OP MatchOptions=0",
    "BROWSE_FIRST+UNMARKED_BROWSE_MSG+MARK_BROWSE_CO_OP MatchOptions=0",
    "BROWSE_NEXT+MARK_BROWSE_CO_OP MatchOptions=0",
    "BROWSE_FIRST+UNMARK_BROWSE_CO_OP MatchOptions=0",
    "BROWSE_FIRST+UNMARKED_BROWSE_MSG MatchOptions=0",
    "MSG_UNDER_CURSOR+SYNCPOINT",
    "SYNCPOINT MatchOptions=0",
)
_OF_ZOS: Final = ("SET_SIGNAL MatchOptions=0 WaitInterval=3000", "SET_SIGNAL+SYNCPOINT MatchOptions=0 WaitInterval=-1")


@dataclass
class WideTraffic(KnownTraffic):
    """Traffic with triggers, aliases, dynamic queues, cooperative browsing, signals and MARK_SKIP_BACKOUT."""

    _dynamic: set[str] = field(default_factory=set)
    """The names of dynamic queues that there have been."""

    def __post_init__(self) -> None:
        found = list(self._attributes())
        definitions = [define(QueueDefinition, attributes) for attributes in found]
        self.state = new_state(definitions, profile=Profile(platform=self.platform))
        self._recorder = Recorder("", _ALIASES)

    def _attributes(self) -> Iterator[dict[str, Any]]:
        chance = self.chance
        kind = chance.choice((1, 2, 3))
        yield {"name": "Q", **_TRIGGERED, "TriggerType": kind, "TriggerDepth": 2}
        yield {"name": "R", "MsgDeliverySequence": "FIFO", "MaxQDepth": 6}
        yield {"name": "I"}
        yield {"name": "S", "DefPriority": 2, "DefPersistence": 1}
        for name, target in _ALIASES.items():
            yield {"name": name, "type": "alias", "target": target}
        for name, made in (("MT", "TEMPORARY_DYNAMIC"), ("MP", "PERMANENT_DYNAMIC")):
            yield {"name": name, "type": "model", "DefinitionType": made}

    def definitions(self, *, from_the_beginning: bool) -> list[Record]:
        """Return the headers of the queues that there were when all began, empty."""
        found: list[Record] = []
        for name in ("Q", "R", "I", "S"):
            attributes = self.state.queues[name].definition.attributes()
            known = {name: value for name, value in attributes.items() if value is not None}
            found.append({"header": "queue", "qmgr": self.qmgr, "queue": name, **known})
            if from_the_beginning:
                at_us = -(10**9)
                found.append({"header": "depth", "qmgr": self.qmgr, "queue": name, "at_us": at_us, "depth": 0})
        return found

    def _act(self, place: str) -> None:
        name, chance = self._names[place], self.chance
        if chance.random() < 0.5:
            super()._act(place)
            return
        acts = (self._use_alias, self._use_dynamic, self._use_others, self._mark, self._skip, self._look_elsewhere)
        chance.choices(acts, (8, 10, 6, 8, 8, 4))[0](name)
        if self.platform == "zos" and chance.random() < 0.2:
            self._do(f"get {name}{chance.choice('QR')} {chance.choice(_OF_ZOS)}")

    def _use_alias(self, name: str) -> None:
        chance = self.chance
        alias = chance.choice(sorted(_ALIASES))
        if chance.random() < 0.4:
            self._do(f"close {name}{alias[1:]}")
            self._do(f"{name}{alias[1:]} = {name}.open {alias} {_OPTIONS}")
        else:
            self._number += 1
            how = chance.choice(("", "Priority=5", "SYNCPOINT", "Expiry=30"))
            self._do(f"{name}.put1 {alias} m{self._number} {how}")

    def _mark(self, name: str) -> None:
        """Browse in a cooperating set."""
        chance = self.chance
        self._do(f"{name}X = {name}.open {chance.choice(('Q', 'AQ', 'R'))} {_CO_OP}")
        for _ in range(chance.randint(1, 3)):
            self._do(f"get {name}X {chance.choice(_MARKED_GETS)}")
        if chance.random() < 0.5:
            self._do(f"close {name}X")

    def _skip(self, name: str) -> None:
        """Get a message that skips the backout, and perhaps back out."""
        self._do(f"get {name}{self.chance.choice('QR')} SYNCPOINT+MARK_SKIP_BACKOUT MatchOptions=0")
        if self.chance.random() < 0.5:
            self._do(f"back {name}")

    def _look_elsewhere(self, name: str) -> None:
        """Look for trigger messages, or open the queue for reports exclusively."""
        if self.chance.random() < 0.5:
            self._do(f"{name}I = {name}.open I INPUT_SHARED+BROWSE")
            self._do(f"get {name}I MatchOptions=0")
        else:
            self._do(f"{name}S = {name}.open S INPUT_EXCLUSIVE+OUTPUT")

    def _use_dynamic(self, name: str) -> None:
        """Make a dynamic queue, use it and perhaps delete it."""
        chance = self.chance
        model = chance.choice(("MT", "MP"))
        self._do(f"{name}D = {name}.open {model} {_OPTIONS} DynamicQName={chance.choice(_DYNAMIC)}")
        self._use(f"{name}D")
        if chance.random() < 0.5:
            self._do(f"close {name}D {chance.choice(('', 'DELETE', 'DELETE_PURGE'))}")

    def _use_others(self, name: str) -> None:
        """Use a dynamic queue that another connection may have made."""
        chance = self.chance
        self._do(f"{name}E = {name}.open {chance.choice(('D1', 'D2'))} {_OPTIONS}")
        self._use(f"{name}E")
        if chance.random() < 0.5:
            self._do(f"close {name}E {chance.choice(('', '', 'DELETE', 'DELETE_PURGE'))}")

    def _use(self, handle: str) -> None:
        chance = self.chance
        for _ in range(chance.randrange(4)):
            self._number += 1
            how = chance.choice(("SYNCPOINT", "", ""))
            did = chance.choice(
                (
                    f"put {handle} d{self._number} {how} Persistence=0",
                    f"put {handle} d{self._number} {how} Persistence=0",
                    f"get {handle} {how} MatchOptions=0",
                    f"get {handle} BROWSE_FIRST+LOCK MatchOptions=0",
                    f"get {handle} BROWSE_NEXT MatchOptions=0",
                )
            )
            self._do(did)


def wide_traffic(seed: str, number: int, platform: PlatformName = "distributed") -> WideTraffic:
    """Return a queue manager's traffic."""
    chance = Random(f"{seed}/{number}")
    traffic = WideTraffic(chance, platform, aside=True, qmgr=f"{seed}/{number}")
    traffic.run(chance.randint(10, 80), chance.randint(1, 4))
    return traffic
