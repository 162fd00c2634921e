"""YAML files of users: read with the line of each mistake, and written.

>>> from pydantic import BaseModel
>>> class Person(BaseModel):
...     name: str
>>> parse_yaml("name: [1, 2]", "people.yaml", Person)
Traceback (most recent call last):
    ...
oracle.errors.BadInputError: people.yaml:1: name must be text
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError

from oracle.errors import BadInputError, Place
from oracle.text.mistakes import first_mistake
from oracle.text.text_files import read_text

__all__ = ["check_each", "line_of", "parse_yaml", "read_text"]

M = TypeVar("M", bound=BaseModel)

_SHOWN = 40
"""The number of characters of a wrong value that are shown."""

_FAST_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The fast loader, if the library was built with it: the catalogue is large."""


class _Loader(_FAST_LOADER):  # type: ignore[misc]  # which of the two is known at run time only
    """A loader that refuses a repeated member of a mapping, where the second would win silently."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of a node."""
        if not isinstance(node, yaml.MappingNode):  # of the tag !!map
            return dict(super().construct_mapping(node, deep=deep))
        names = set()
        for name, _ in node.value:
            if isinstance(name, yaml.ScalarNode) and name.value in names:
                raise _TwiceError(None, None, f"{name.value} is given twice", name.start_mark)
            names.add(str(name.value))
        return dict(super().construct_mapping(node, deep=deep))


class _TwiceError(yaml.MarkedYAMLError):
    """A mapping has two members with one name."""


class _ImpossibleError(yaml.MarkedYAMLError):
    """A value that is written as a date or number, or tagged as one, and cannot be one, such as 2026-99-01."""


def _constructed(loader: Any, node: yaml.ScalarNode) -> Any:
    """Return the date, number or truth value of a node. Raises _ImpossibleError with its line."""
    try:
        return _FAST_LOADER.yaml_constructors[node.tag](loader, node)
    except (ValueError, OverflowError) as error:
        raise _ImpossibleError(None, None, f"{node.value[:_SHOWN]}: {str(error)[:80]}", node.start_mark) from error
    except (AttributeError, LookupError) as error:  # what the library's functions do with text that is none
        message = f"{node.value[:_SHOWN]!r} is no {node.tag.rpartition(':')[2]}"
        raise _ImpossibleError(None, None, message, node.start_mark) from error


for _kind in ("timestamp", "int", "float", "bool"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _constructed)

Location = Iterable[int | str]
"""The path to a value within a document: names of members and numbers of entries, from the outside in."""


def parse_yaml(text: str, source: str, model: type[M]) -> M:
    """Return the document of a file, as an instance of a model.

    Raises BadInputError, with the file, the line and the invalid member, if the text is not YAML or does not fit the
    model.
    """
    try:
        document = yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader
        if document is None:
            raise BadInputError(f"the file is empty{_allowed(model, ())}", Place(source, 1))
        return model.model_validate(document)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None)
        message = "not YAML" if problem is None else f"not YAML: {problem}"
        if isinstance(error, (_TwiceError, _ImpossibleError)):
            message = str(problem)
        raise BadInputError(message, Place(source, None if mark is None else mark.line + 1)) from error
    except ValidationError as error:
        mistake = first_mistake(error)
        message = mistake.about(mistake.member or "the file")
        if mistake.kind == "extra_forbidden":
            message += _allowed(model, mistake.location[:-1])
        elif mistake.kind == "model_type":
            message += _allowed(model, mistake.location)
        raise BadInputError(message, Place(source, line_of(text, mistake.location))) from error
    except RecursionError as error:
        raise BadInputError("not YAML that can be read: it is nested too deeply", Place(source)) from error
    except UnicodeEncodeError as error:
        message = "not YAML that can be read: it has half a character (a surrogate without the other)"
        raise BadInputError(message, Place(source, text.count("\n", 0, error.start) + 1)) from error


def check_each(parts: Iterable[Any], check: Callable[[Any], object], text: str, source: str, member: str) -> None:
    """Check each part of a list, which is a member of the document. Raises the check's BadInputError with its line."""
    for number, part in enumerate(parts):
        try:
            check(part)
        except BadInputError as error:
            raise BadInputError(str(error), Place(source, line_of(text, (member, number)))) from error


def _allowed(model: type[BaseModel], location: Location) -> str:
    """Return the text on which members a value within a document may have; empty if that is not clear."""
    members = _members(model, location)
    return f"; there are {', '.join(members)}" if members else ""


def _members(model: type[BaseModel], location: Location) -> tuple[str, ...]:
    """Return the members that a value within a document of the model may have; none if that is not clear."""
    kind: Any = model
    for part in location:
        if isinstance(part, int):
            kind = next(iter(get_args(kind)), None)
        else:
            kind = kind.model_fields[part].annotation if _is_model(kind) and part in kind.model_fields else None
    return tuple(field.alias or name for name, field in kind.model_fields.items()) if _is_model(kind) else ()


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def write_yaml(document: object) -> str:
    """Return a document as YAML text for people: members in order, texts of several lines as blocks."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


class _Dumper(yaml.SafeDumper):
    """A dumper that writes equal values out in each place, and texts of several lines as blocks."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - as the library calls it
        """Return that no value is written as a reference to another."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def line_of(text: str, location: Location) -> int | None:
    """Return the line, from 1, at which a value of a YAML document begins.

    If it is absent, that of the value around it. None for a document that is nested too deeply.
    """
    try:
        document = yaml.compose(text, Loader=yaml.SafeLoader)
    except RecursionError:
        return None
    return _line(document, location)


def _line(node: yaml.Node | None, location: Location) -> int | None:
    if node is None:
        return None
    line: int = node.start_mark.line + 1
    for part in location:
        found = _child(node, part)
        if found is None:
            break
        line, node = found
    return line


def _child(node: yaml.Node, part: int | str) -> tuple[int, yaml.Node] | None:
    """Return the line of a member's name, or of an entry, and the node of its value."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                return key.start_mark.line + 1, value
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        entry = node.value[part]
        return entry.start_mark.line + 1, entry
    return None
