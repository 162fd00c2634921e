"""Patches: temporary changes of the model, given as replacements of text in its source.

A patch names a place (`oracle.model.units.units:commit`, `oracle.model.state:State.depth`, or a table such as
`oracle.model.groups.put_groups:PUT_TABLE`) and a piece of its source that occurs there exactly once. So a patch whose
place was renamed or rewritten is an error, and never a change without effect.

>>> patch = Patch("oracle.model.groups.get_groups:group_status", "MQGS.LAST_MSG_IN_GROUP", "MQGS.MSG_IN_GROUP")
>>> from oracle.mqi.constants import MQMF
>>> from oracle.model.groups.get_groups import group_status
>>> with patch.applied():
...     group_status(MQMF.LAST_MSG_IN_GROUP)
'G'
>>> group_status(MQMF.LAST_MSG_IN_GROUP)
'L'
"""

from __future__ import annotations
import __future__

import ast
import importlib
import inspect
import sys
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from types import CodeType, FunctionType, ModuleType

from oracle.errors import BadInputError

_ROOT = "oracle"
_MODEL = "oracle.model."
_FLAGS = __future__.annotations.compiler_flag


@dataclass(frozen=True)
class Patch:
    """A change of the model's source.

    Raises BadInputError when it is applied, naming the place, if the place does not exist, if the text does not occur
    there exactly once, or if the result is not Python.
    """

    place: str
    """The function or table that is changed."""
    replace: str
    """The text that is replaced, which occurs there once."""
    by: str
    """The replacement."""

    def __reduce__(self) -> tuple[type[Patch], tuple[str, str, str]]:
        """Return how another process recreates the patch: the functions found here belong to this process."""
        return type(self), (self.place, self.replace, self.by)

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Apply the patch within the block; results cached meanwhile are forgotten."""
        change = self._change
        forget_all()
        change(True)
        try:
            yield
        finally:
            change(False)
            forget_all()

    def is_met_by(self, codes: Collection[CodeType]) -> bool:
        """Return whether code that ran includes the place or, for a table, code that names it.

        Of a table, whoever names it has.
        """
        found = _function(self._found[1])
        if found is not None:
            return found.__code__ in codes
        name = self.place.rpartition(":")[2]
        return any(name in code.co_names for code in codes)

    @property
    def _module(self) -> ModuleType:
        name = self.place.partition(":")[0]
        if name.partition(".")[0] != _ROOT:
            raise BadInputError(f"{self.place}: only modules of the package {_ROOT} can be changed")
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise BadInputError(f"{self.place}: there is no module {name}") from error

    @cached_property
    def _found(self) -> tuple[object, object]:
        """The object at the place, and its owner."""
        owner: object = self._module
        found: object = self._module
        for name in self.place.partition(":")[2].split("."):
            if name not in vars(found):
                raise BadInputError(f"{self.place}: there is no {name}")
            owner, found = found, vars(found)[name]
        return owner, found

    @cached_property
    def _change(self) -> Callable[[bool], None]:
        owner, found = self._found
        function = _function(found)
        if function is not None:
            return self._change_of_function(function, self._module)
        if owner is self._module and not isinstance(found, type):
            return self._change_of_table(found, self.place.rpartition(":")[2], self._module)
        raise BadInputError(f"{self.place} is neither a function nor a table of a module")

    def _change_of_function(self, function: FunctionType, module: ModuleType) -> Callable[[bool], None]:
        right = function.__code__
        wrong = self._compiled(function, module)

        def change(to_wrong: bool) -> None:
            function.__code__ = wrong if to_wrong else right

        return change

    def _compiled(self, function: FunctionType, module: ModuleType) -> CodeType:
        tree = self._parsed(textwrap.dedent(_source_of(function)))
        (node,) = tree.body
        assert isinstance(node, ast.FunctionDef)  # it is the source of a function
        node.decorator_list = []
        names = dict(vars(module))
        exec(compile(tree, self.place, "exec", _FLAGS, dont_inherit=True), names)  # noqa: S102 - of the checkout
        code: CodeType = names[node.name].__code__
        return code

    def _change_of_table(self, right: object, name: str, module: ModuleType) -> Callable[[bool], None]:
        node = self._parsed(_assignment(module, name)).body[0]
        assert isinstance(node, ast.Assign | ast.AnnAssign)  # it is the source of an assignment
        assert node.value is not None  # likewise
        text = compile(ast.Expression(node.value), self.place, "eval", _FLAGS, dont_inherit=True)
        wrong = eval(text, vars(module))  # noqa: S307 - of the checkout
        homes = [
            (home, each)
            for home in list(sys.modules.values())
            if getattr(home, "__name__", "").partition(".")[0] == _ROOT
            for each, value in vars(home).items()
            if value is right
        ]

        def change(to_wrong: bool) -> None:
            for home, each in homes:
                setattr(home, each, wrong if to_wrong else right)

        return change

    def _parsed(self, source: str) -> ast.Module:
        count = source.count(self.replace)
        if count != 1:
            raise BadInputError(f"{self.place}: {self.replace!r} stands there {count} times, not once")
        try:
            return ast.parse(source.replace(self.replace, self.by))
        except SyntaxError as error:
            raise BadInputError(f"{self.place}: {self.by!r} is not valid Python there: {error.msg}") from error


def forget_all() -> None:
    """Clear all caches of the model: several modules may have cached the decision of one."""
    for forget in _caches(len(sys.modules)):
        forget()


@cache
def _caches(_modules: int) -> tuple[Callable[[], None], ...]:  # recomputed when there are more modules
    """Return the functions that clear the caches of the model."""
    found = {
        id(each): each.cache_clear
        for name, module in list(sys.modules.items())
        if name.startswith(_MODEL)
        for each in vars(module).values()
        if hasattr(each, "cache_clear") and not isinstance(each, type)
    }
    return tuple(found.values())


def _function(found: object) -> FunctionType | None:
    """Return the function behind a property, a method or a cached function."""
    if isinstance(found, property):
        found = found.fget
    if isinstance(found, classmethod | staticmethod):
        found = found.__func__
    found = inspect.unwrap(found) if callable(found) and not isinstance(found, type) else found
    return found if isinstance(found, FunctionType) else None


@cache
def _source_of(function: FunctionType) -> str:
    return inspect.getsource(function)


@cache
def _assignments(module: ModuleType) -> Mapping[str, str]:
    source = inspect.getsource(module)
    found: dict[str, str] = {}
    for node in ast.parse(source).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            if isinstance(target, ast.Name):
                found[target.id] = ast.get_source_segment(source, node) or ""
    return found


def _assignment(module: ModuleType, name: str) -> str:
    return _assignments(module).get(name, "")
