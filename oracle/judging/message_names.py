"""The names of messages in texts for people.

The names that a history gives its messages come first. A message without one is called by the last digits of its MsgId,
which are unique in identifiers of IBM MQ. If other implementations make identifiers with the same end, the whole
identifier is used.

>>> from oracle.model.messages.messages import MessageKey
>>> names = MessageNames()
>>> key = MessageKey(bytes(18) + b"orders", 1, 0)
>>> names.of(key)
'...6f7264657273'
>>> names.give(key, "m1")
>>> names.of(key)
'm1'
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from oracle.model.messages.messages import MessageKey

_DIGITS: Final = 12


@dataclass
class MessageNames:
    """The messages that were seen so far, and their names."""

    _given: dict[MessageKey, list[str]] = field(default_factory=dict)
    """The names that a history has given each message."""
    _alike: dict[str, list[MessageKey]] = field(default_factory=dict)
    """By the last digits of a MsgId, the messages seen so far whose MsgIds end with them."""

    def give(self, key: MessageKey, name: str) -> None:
        """Note the name that a history gives a message; messages with the same key share their names."""
        names = self._given.setdefault(key, [])
        if name not in names:
            names.append(name)

    def see(self, key: MessageKey) -> None:
        """Note a message, from which others must be distinguished."""
        alike = self._alike.setdefault(_end(key), [])
        if key not in alike:
            alike.append(key)

    def of(self, key: MessageKey) -> str:
        """Return the name of a message."""
        if key in self._given:
            return " or ".join(self._given[key])
        alike = self._alike.get(_end(key), ())
        by_end = _end(key).strip("0") and all(other.msg_id == key.msg_id for other in alike)
        name = f"...{_end(key)}" if by_end else key.msg_id.hex()
        return name + _within(key, [other for other in alike if other != key and other.msg_id == key.msg_id])

    def of_msg_id(self, msg_id: bytes) -> str:
        """Return the name that a history gives the message with a MsgId; nothing if none or several have one."""
        given = {name for key, names in self._given.items() if key.msg_id == msg_id for name in names}
        return next(iter(given)) if len(given) == 1 else ""


def _end(key: MessageKey) -> str:
    return key.msg_id.hex()[-_DIGITS:]


def _within(key: MessageKey, others: list[MessageKey]) -> str:
    """Return what distinguishes a message from others with its MsgId: its number in the group, its offset."""
    numbers, offsets = {each.msg_seq_number for each in others}, {each.offset for each in others}
    number = f" number {key.msg_seq_number}" if numbers - {key.msg_seq_number} else ""
    return number + (f" offset {key.offset}" if offsets - {key.offset} else "")
