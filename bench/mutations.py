"""Possible changes of a module of the model, as text: the operators of `bench.mutants`.

Code that only notes rules is left alone (`because`, `grounds`, functions that return rules). So are the answers of a
choice, whose order makes another lawful queue manager.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

_OTHER: Final[dict[type[ast.cmpop], tuple[str, ...]]] = {
    ast.Lt: ("<=",),
    ast.LtE: ("<",),
    ast.Gt: (">=",),
    ast.GtE: (">",),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}
_NOTING: Final = frozenset(
    {"because", "choose", "choose_for_good", "seen", "generate", "rules_since", "Choice", "perhaps_with"}
)
"""Functions whose arguments are left alone."""

_SPAN: Final = attrgetter("lineno", "col_offset", "end_lineno", "end_col_offset")
_SWAPPED: Final = {"any": "all", "all": "any", "min": "max", "max": "min"}
_NOTES: Final = re.compile(
    r"^_?(rules_of|rules_for|why_|explain|notes?_|note_)|_rules$|grounds|_because$|^_?as_without"
)


@dataclass(frozen=True, slots=True)
class Change:
    """A change at `place`, a name within the module: `replace` occurs there once, and becomes `by`.

    It is met when one of `lines` is reached, which are empty for a table. `line` is its place.
    """

    place: str
    replace: str
    by: str
    operator: str
    lines: frozenset[int]
    line: int


def mutations(source: str) -> Iterator[Change]:
    """Yield every change of a module's source."""
    tree = ast.parse(source)
    for place, node in _places(tree):
        yield from _Place(source, place, node).changes()


def _places(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef):
                    yield f"{node.name}.{each.name}", each
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id != "__all__":
                yield target.id, node


class _Place:
    """A function or a table, and its possible changes."""

    def __init__(self, source: str, place: str, node: ast.stmt) -> None:
        self._place, self._node = place, node
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        self._lines = source.splitlines(keepends=True)
        self._first, self._last = first, node.end_lineno or first
        self._is_function = isinstance(node, ast.FunctionDef)
        self._text = "".join(self._lines[first - 1 : self._last])
        self._dedented = textwrap.dedent(self._text) if self._is_function else self._text
        self._indent = len(self._text) - len(self._text.lstrip(" ")) if self._is_function else 0

    def changes(self) -> Iterator[Change]:
        """Yield the changes of the place."""
        if isinstance(self._node, ast.FunctionDef):
            if _NOTES.search(self._node.name) or self._returns_rules(self._node):
                return
            yield from self._in_body(self._node.body)
        elif isinstance(self._node, ast.Assign | ast.AnnAssign) and self._node.value is not None:
            yield from self._in_expression(self._node.value, self._node)

    @staticmethod
    def _returns_rules(node: ast.FunctionDef) -> bool:
        returned = ast.unparse(node.returns) if node.returns else ""
        return returned in ("tuple[str, ...]", "Iterator[str]", "list[str]", "str") and not node.name.endswith("name")

    def _in_body(self, body: list[ast.stmt]) -> Iterator[Change]:
        for statement in body:
            yield from self._in_statement(statement, len(body))

    def _in_statement(self, node: ast.stmt, among: int) -> Iterator[Change]:
        if isinstance(node, ast.Assert | ast.Raise | ast.Import | ast.ImportFrom | ast.Pass):
            return
        if isinstance(node, ast.Expr):
            yield from self._in_expression_statement(node, among)
            return
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            yield from self._in_assignment(node)
            return
        if isinstance(node, ast.If | ast.For) and all(map(_only_notes, (*node.body, *node.orelse))):
            return
        if isinstance(node, ast.If | ast.While):
            yield from self._in_condition(node.test, node)
        if isinstance(node, ast.For):
            yield from self._in_loop(node)
        if isinstance(node, ast.Return) and node.value is not None:
            if isinstance(node.value, ast.Constant) and isinstance(node.value.value, bool):
                yield from self._change(node.value, str(not node.value.value), "yes for no", node)
            yield from self._in_expression(node.value, node)
        for name in ("body", "orelse", "finalbody"):
            yield from self._in_body(getattr(node, name, []) if not isinstance(node, ast.Return) else [])

    def _in_assignment(self, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> Iterator[Change]:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(target, ast.Attribute | ast.Subscript) or isinstance(node, ast.AugAssign):
            if "grounds" in ast.unparse(target):
                return
            yield from self._change(node, "pass", "a statement skipped", node)
        if node.value is not None:
            yield from self._in_expression(node.value, node)

    def _in_loop(self, node: ast.For) -> Iterator[Change]:
        yield from self._in_expression(node.iter, node)
        last = node.body[-1]
        if not isinstance(last, ast.Return | ast.Raise | ast.Break | ast.Continue):
            pad = " " * last.col_offset
            yield from self._change(last, f"{self._segment(last)}\n{pad}break", "the first of several only", node)

    def _in_expression_statement(self, node: ast.Expr, among: int) -> Iterator[Change]:
        if isinstance(node.value, ast.Constant):
            return
        called = _called(node.value)
        if called in _NOTING or _NOTES.search(called):
            return
        if isinstance(node.value, ast.Call):
            yield from self._change(node, "pass", "a statement skipped", node)
        elif isinstance(node.value, ast.Yield | ast.YieldFrom) and among:
            yield from self._change(node, "pass", "a result left out", node)
        yield from self._in_expression(node.value, node)

    def _in_condition(self, test: ast.expr, statement: ast.stmt) -> Iterator[Change]:
        for word in ("True", "False"):
            yield from self._change(test, word, f"a condition taken to be {word.lower()}", statement)
        yield from self._in_expression(test, statement)

    def _in_expression(self, node: ast.AST, statement: ast.stmt) -> Iterator[Change]:
        if isinstance(node, ast.Call) and (_called(node) in _NOTING or _NOTES.search(_called(node))):
            return
        if isinstance(node, ast.keyword) and (node.arg in ("grounds", "rules", "because") or node.arg is None):
            return
        if isinstance(node, ast.IfExp) and _is_rules(node.body) and _is_rules(node.orelse):
            return
        if isinstance(node, ast.Lambda):
            yield from self._in_expression(node.body, statement)
            return
        yield from self._of_node(node, statement)
        for child in ast.iter_child_nodes(node):
            yield from self._in_expression(child, statement)

    def _of_node(self, node: ast.AST, statement: ast.stmt) -> Iterator[Change]:  # noqa: C901 - a list of operators
        if isinstance(node, ast.BoolOp):
            yield from self._dropping(node, node.values, " and " if isinstance(node.op, ast.And) else " or ", statement)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            for other in _OTHER[type(node.ops[0])]:
                by = f"{self._segment(node.left)} {other} {self._segment(node.comparators[0])}"
                yield from self._change(node, by, f"{other} in a comparison", statement)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield from self._change(node, f"bool({self._segment(node.operand)})", "a not dropped", statement)
        elif isinstance(node, ast.BinOp):
            yield from self._of_operation(node, statement)
        elif isinstance(node, ast.IfExp):
            for part in (node.body, node.orelse):
                yield from self._change(node, f"({self._segment(part)})", "one way of two", statement)
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield from self._change(node, str(node.value + 1), "a number one greater", statement)
        elif isinstance(node, ast.Call):
            yield from self._of_call(node, statement)
        elif isinstance(node, ast.comprehension):
            for test in node.ifs:
                yield from self._change(test, "True", "a condition of many dropped", statement)
        elif isinstance(node, ast.Tuple | ast.Set | ast.List):
            yield from self._of_elements(node, statement)

    def _of_operation(self, node: ast.BinOp, statement: ast.stmt) -> Iterator[Change]:
        left, right = self._segment(node.left), self._segment(node.right)
        if isinstance(node.op, ast.BitOr) and not _is_type(node):
            yield from self._change(node, f"({left})", "an option left out", statement)
            yield from self._change(node, f"({right})", "an option left out", statement)
        elif isinstance(node.op, ast.Add | ast.Sub):
            sign = "-" if isinstance(node.op, ast.Add) else "+"
            if not isinstance(node.right, ast.Tuple | ast.List) and not isinstance(node.left, ast.Tuple | ast.List):
                yield from self._change(node, f"({left} {sign} {right})", f"{sign} in a sum", statement)

    def _of_call(self, node: ast.Call, statement: ast.stmt) -> Iterator[Change]:
        called = _called(node)
        if isinstance(node.func, ast.Name) and called in _SWAPPED:
            yield from self._change(node.func, _SWAPPED[called], f"{_SWAPPED[called]} for {called}", statement)
        if called == "replace":
            for keyword in node.keywords:
                if keyword.arg and keyword.arg != "grounds" and len(node.keywords) > 1:
                    rest = [self._segment(each) for each in (*node.args, *node.keywords) if each is not keyword]
                    yield from self._change(
                        node, f"{self._segment(node.func)}({', '.join(rest)})", f"{keyword.arg} kept", statement
                    )

    def _of_elements(self, node: ast.Tuple | ast.Set | ast.List, statement: ast.stmt) -> Iterator[Change]:
        elements = node.elts
        if len(elements) < 2 or any(map(_is_rule, elements)) or len(elements) > 40:
            return
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Tuple):
            return
        for dropped in elements:
            rest = ", ".join(self._segment(each) for each in elements if each is not dropped)
            whole = self._segment(node)
            if not whole.startswith({ast.Tuple: "(", ast.List: "[", ast.Set: "{"}[type(node)]):
                return
            end = ",)" if whole[0] == "(" else whole[-1]
            yield from self._change(node, f"{whole[0]}{rest}{end}", "an element left out", statement)

    def _dropping(self, node: ast.expr, values: list[ast.expr], glue: str, statement: ast.stmt) -> Iterator[Change]:
        for dropped in values:
            rest = glue.join(self._in_parentheses(each) for each in values if each is not dropped)
            yield from self._change(node, f"({rest})", f"an operand of{glue}dropped", statement)

    def _in_parentheses(self, node: ast.expr) -> str:
        return f"({self._segment(node)})"

    def _segment(self, node: ast.AST) -> str:
        start, end = self._span(node)
        text = self._text[start:end]
        return f"({text})" if isinstance(node, ast.NamedExpr) else text

    def _span(self, node: ast.AST) -> tuple[int, int]:
        line, column, end_line, end_column = _SPAN(node)
        return self._offset(line, column), self._offset(end_line, end_column)

    def _offset(self, line: int, column: int) -> int:
        before = self._lines[self._first - 1 : line - 1]
        text = self._lines[line - 1].encode()[:column].decode()
        return sum(map(len, before)) + len(text)

    def _change(self, node: ast.AST, by: str, operator: str, statement: ast.stmt) -> Iterator[Change]:
        start, end = self._span(node)
        if self._text[start:end] == by:
            return
        left, right = start, end
        while True:
            replace, changed = self._text[left:right], self._text[left:start] + by + self._text[end:right]
            pad = "\n" + " " * self._indent
            replace, changed = replace.replace(pad, "\n"), changed.replace(pad, "\n")
            if self._dedented.count(replace) == 1:
                break
            if left == 0 and right == len(self._text):
                return
            left = max(0, self._text.rfind("\n", 0, max(0, left - 1)) + 1) if left else 0
            found = self._text.find("\n", right + 1)
            right = len(self._text) if found < 0 else found
            if left < self._indent:
                left = self._indent
                if self._dedented.count(self._text[left:right].replace(pad, "\n")) != 1:
                    return
        line, _, end_line, _ = _SPAN(node)
        body = getattr(statement, "body", ())
        header = body[0].lineno - 1 if body else statement.end_lineno or end_line
        stop = max(statement.lineno, min(end_line, header))
        lines = frozenset(range(statement.lineno, stop + 1)) if self._is_function else frozenset()
        yield Change(self._place, replace, changed, operator, lines, line)


def _called(node: ast.AST) -> str:
    """Return the name of the function that an expression calls, without its owner."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _only_notes(node: ast.stmt) -> bool:
    """Return whether a statement does nothing but note rules."""
    if isinstance(node, ast.If | ast.For):
        return all(map(_only_notes, (*node.body, *node.orelse)))
    if isinstance(node, ast.Assign):
        target = ast.unparse(node.targets[0])
        return "grounds" in target or (isinstance(node.targets[0], ast.Name) and _is_rules(node.value))
    called = _called(node.value) if isinstance(node, ast.Expr) else ""
    return called == "because" or bool(_NOTES.search(called))


def _is_rules(node: ast.expr) -> bool:
    """Return whether an expression is rules written out: a string, or a tuple of such."""
    return _is_rule(node) or (isinstance(node, ast.Tuple) and all(map(_is_rules, node.elts)))


def _is_rule(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_type(node: ast.BinOp) -> bool:
    return any(isinstance(each, ast.Constant) and each.value is None for each in (node.left, node.right))
