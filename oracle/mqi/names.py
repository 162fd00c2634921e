"""Names of the MQI: a constant, field or parameter by its C, RPG or COBOL name, or a constant by its value.

The RPG names are data in `oracle/data/names.yaml`; a reason code nnnn is RCnnnn. A COBOL name is the C name in upper
case with hyphens; IBM's documents confirm that only for the fields of MQMD.

>>> [found.c_name for found in look_up("gmlk")]
['MQGMO_LOCK']
>>> look_up("MQMD-EXPIRY") == look_up("MDEXP")
True
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from oracle.errors import UsageError
from oracle.mqi import constants
from oracle.mqi.constants import MQRC
from oracle.mqi.layouts import LAYOUTS
from oracle.text.similar_names import question, similar
from oracle.text.yaml_files import parse_yaml

_NEAR: Final = 5


@dataclass(frozen=True, slots=True)
class Alias:
    """A name in another language."""

    language: Literal["RPG", "COBOL"]
    """The language."""
    name: str
    """The name in it."""
    certain: bool
    """Whether it was found in IBM's documents, and not written from memory."""


@dataclass(frozen=True, slots=True)
class Name:
    """A constant (`MQGMO_LOCK`), a field (`MQMD.Expiry`) or a parameter (`MQGET.BufferLength`) by its C name."""

    c_name: str
    """The name in C."""
    kind: str
    """The kind of name, in words."""
    value: int | str | None
    """The value; None if it is not a constant."""
    aliases: tuple[Alias, ...]
    """Its names in other languages."""

    @property
    def reason(self) -> int | None:
        """The reason code that this is, or None."""
        return self.value if isinstance(self.value, int) and self.c_name.startswith("MQRC_") else None


class _RpgNames(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    other_constants: dict[str, int | str]
    certain: dict[str, str]
    from_memory: dict[str, str]


def look_up(text: str) -> tuple[Name, ...]:
    """Return what a name in any of the languages means, in any letter case.

    A number means every constant with that value. The prefix of a name may be left out (`LOCK`, `Expiry`) if no full
    name is spelled so. Raises UsageError, with similar names, if nothing has this name or value.
    """
    full, short, by_value = _index()
    key = _key(text)
    found = full.get(key) or short.get(key) or by_value.get(_number(text))
    if not found:
        near = similar(key, [*full, *short], _NEAR)
        spelled = dict.fromkeys(name.c_name for match in near for name in (full.get(match) or short[match]))
        hint = f"; {question(list(spelled)[:_NEAR])}" if spelled else ""
        raise UsageError(f"no constant, field or parameter of the MQI is called {text!r}{hint}")
    return tuple(found)


def reason_code(text: str) -> int:
    """Return the reason code that a number (2033) or a name in any of the languages means, in any letter case.

    Raises UsageError, with similar names, if there is no such reason code.
    """
    key = _key(text)
    names = [MQRC(number).name for number in MQRC if number == _number(text)]
    names += [name for name in MQRC.__members__ if key in (name, f"MQRC_{name}", _key(_rpg_reason(name)))]
    if names:
        return int(MQRC[names[0]])
    near = similar(key.removeprefix("MQRC_"), MQRC.__members__, _NEAR)
    hint = f"; {question(near)}" if near else ": give one such as 2033, NO_MSG_AVAILABLE or RC2033"
    raise UsageError(f"{text!r} is not a reason code{hint}")


def every_name() -> Iterator[Name]:
    """Yield every constant, field and parameter that has a name in this module."""
    data = _data()
    for family, members, kind in _families():
        for name, value in members.items():
            yield _constant(f"{family}_{name}", kind, value)
    for c_name, value in data.other_constants.items():
        yield _constant(c_name, "constant", value)
    for layout in LAYOUTS:
        for name in ("StrucId", "Version", *(field.name for field in layout.members(layout.versions[-1]))):
            if "." not in name:
                yield _field(layout.name, name)
    for c_name in (*data.certain, *data.from_memory):
        if c_name.startswith("MQGET."):
            yield Name(c_name, "parameter of MQGET", None, tuple(_rpg(c_name)))


def _families() -> Iterator[tuple[str, Mapping[str, int | str], str]]:
    for family in constants.__all__:
        group = getattr(constants, family)
        if hasattr(group, "members"):
            yield family, group.members(), f"constant: {group.__doc__.rstrip('.')}"
    yield "MQRC", {name: int(code) for name, code in MQRC.__members__.items()}, "reason code"


def _constant(c_name: str, kind: str, value: int | str) -> Name:
    cobol = Alias("COBOL", c_name.replace("_", "-"), certain=False)
    return Name(c_name, kind, value, (*_rpg(c_name), cobol))


def _field(structure: str, field: str) -> Name:
    c_name = f"{structure}.{field}"
    cobol = Alias("COBOL", f"{structure}-{field.upper()}", certain=structure == "MQMD")
    return Name(c_name, f"field of {structure}", None, (*_rpg(c_name), cobol))


def _rpg(c_name: str) -> Iterator[Alias]:
    data = _data()
    if c_name.startswith("MQRC_"):
        yield Alias("RPG", _rpg_reason(c_name.removeprefix("MQRC_")), certain=True)
    elif c_name in data.certain:
        yield Alias("RPG", data.certain[c_name], certain=True)
    elif c_name in data.from_memory:
        yield Alias("RPG", data.from_memory[c_name], certain=False)


def _rpg_reason(name: str) -> str:
    return "RCNONE" if name == "NONE" else f"RC{MQRC[name].value}"


def _key(text: str) -> str:
    """Return the key of a name: languages differ in letter case and in what joins its words."""
    return re.sub(r"[-.]", "_", text.strip().upper())


def _number(text: str) -> int | None:
    try:
        return int(text, 0)
    except ValueError:
        return None


_Found = dict[str, list[Name]]


@cache
def _index() -> tuple[_Found, _Found, dict[int | None, list[Name]]]:
    """Return every name by its full names, by its C name without the prefix, and by its value."""
    full: _Found = {}
    short: _Found = {}
    by_value: dict[int | None, list[Name]] = {}
    for name in every_name():
        for key in dict.fromkeys(_keys(name)):
            full.setdefault(key, []).append(name)
        short.setdefault(_key(re.split(r"[_.]", name.c_name, maxsplit=1)[1]), []).append(name)
        if isinstance(name.value, int):
            by_value.setdefault(name.value, []).append(name)
    return full, short, by_value


def _keys(name: Name) -> Iterable[str]:
    return (_key(text) for text in (name.c_name, *(alias.name for alias in name.aliases)))


@cache
def _data() -> _RpgNames:
    text = (files("oracle") / "data" / "names.yaml").read_text(encoding="utf-8")
    return parse_yaml(text, "data/names.yaml", _RpgNames)
