"""Columns as SQL for DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Final

from spark_checks.frames.columns import Column, WindowSpec, name_of, named
from spark_checks.frames.types import element_of, parts_of

_TYPES: Final = {"string": "VARCHAR", "int": "INTEGER", "long": "BIGINT", "boolean": "BOOLEAN", "double": "DOUBLE"}

_BETWEEN: Final = frozenset({"=", "<>", "<", "<=", ">", ">=", "AND", "OR", "+", "-", "*", "/", "&", "|"})

_FUNCTIONS: Final[Mapping[str, str]] = {
    "greatest": "greatest", "least": "least", "coalesce": "coalesce", "abs": "abs", "floor": "floor",
    "round": "round", "md5": "md5", "trim": "trim", "rtrim": "rtrim", "lower": "lower",
    "length": "length", "substring": "substring", "replace": "replace", "concat_ws": "concat_ws",
    "startswith": "starts_with", "endswith": "ends_with", "array": "list_value", "size": "len",
    "array_contains": "list_contains", "arrays_overlap": "list_has_any", "array_distinct": "list_distinct",
    "array_sort": "list_sort", "array_min": "list_min",
    "array_join": "array_to_string", "flatten": "flatten", "sequence": "generate_series", "element_at": "list_extract",
    "count": "count", "max": "max", "min": "min", "first": "first", "max_by": "max_by", "explode": "unnest",
    "lag": "lag", "lead": "lead", "row_number": "row_number", "last": "last_value",
}  # fmt: skip  # pairs
"""The functions that DuckDB has, under the same name or another."""

_FORMS: Final[Mapping[str, str]] = {
    "not": "(NOT {0})",
    "negative": "(-{0})",
    "is_null": "({0} IS NULL)",
    "is_not_null": "({0} IS NOT NULL)",
    "same": "({0} IS NOT DISTINCT FROM {1})",
    "signum": "sign({0})",
    "pmod": "((({0} % {1}) + {1}) % {1})",
    "unpadded": "rtrim(split_part({0}, chr(0), 1))",
    "is_hex": "regexp_full_match({0}, '[0-9a-f]*')",
    "is_valid_utf8": "(length({0}) >= 0)",
    "get": "list_extract({0}, {1} + 1)",
    "array_compact": "list_filter({0}, lambda x: x IS NOT NULL)",
    "array_position": "coalesce(list_position({0}, {1}), CASE WHEN {0} IS NOT NULL THEN 0 END)",
    "slice": "list_slice({0}, {1}, {1} + {2} - 1)",
    "explode_outer": "unnest(CASE WHEN len({0}) > 0 THEN {0} ELSE [NULL] END)",
    "count_all": "count(*)",
    "sum": "CAST(sum({0}){over} AS BIGINT)",
    "collect_list": "coalesce(list({0}) FILTER ({0} IS NOT NULL){over}, [])",
    "collect_set": "coalesce(list(DISTINCT {0}) FILTER ({0} IS NOT NULL){over}, [])",
    "different": "len(coalesce(list(DISTINCT {0}) FILTER ({0} IS NOT NULL){over}, []))",
    "last_known": "last_value({0} IGNORE NULLS)",
    "numbered": "(row_number() OVER () - 1)",
    "desc": "{0} DESC NULLS LAST",
    "asc": "{0} ASC NULLS FIRST",
}
"""Operations with a form of their own; a number is that of an argument, and `over` is the window within the form."""


def quoted(name: str) -> str:
    """Return a name as quoted SQL."""
    return '"' + name.replace('"', '""') + '"'


def sql_type(kind: str) -> str:
    """Return DuckDB's name of a type."""
    element, parts = element_of(kind), parts_of(kind)
    if element is not None:
        return f"{sql_type(element)}[]"
    if parts is not None:
        return f"STRUCT({', '.join(f'{quoted(name)} {sql_type(part)}' for name, part in parts.items())})"
    return _TYPES[kind]


def literal_sql(value: object) -> str:
    """Return a plain value as SQL."""
    if isinstance(value, Enum):
        value = value.value
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return f"({value!r})" if str(value).startswith("-") else repr(value)


def sql_of(column: Column | str) -> str:
    """Return a column as SQL."""
    column = named(column)
    special = _SPECIAL.get(column.op)
    if special is not None:
        return special(*column.args)
    args = [sql_of(each) for each in column.args]
    if column.op in _BETWEEN:
        return f"({args[0]} {column.op} {args[1]})"
    if column.op in _FUNCTIONS:
        return f"{_FUNCTIONS[column.op]}({', '.join(args)})"
    return _FORMS[column.op].format(*args, over="")


def order_sql(columns: Sequence[Column | str]) -> str:
    """Return a sort key as SQL: null first, or last if the order is from the largest value down."""
    return ", ".join(sql_of(column if column.op in ("desc", "asc") else column.asc()) for column in map(named, columns))


def _field(of: Column, name: str) -> str:
    return f"struct_extract({sql_of(of)}, {literal_sql(name)})"


def _col(name: str) -> str:
    first, *rest = name.split(".")
    text = quoted(first)
    for part in rest:
        text = f"struct_extract({text}, {literal_sql(part)})"
    return text


def _case(pairs: Sequence[tuple[Column, Column]], otherwise: Column | None) -> str:
    cases = " ".join(f"WHEN {sql_of(condition)} THEN {sql_of(value)}" for condition, value in pairs)
    last = "" if otherwise is None else f" ELSE {sql_of(otherwise)}"
    return f"CASE {cases}{last} END"


def _in(column: Column, *values: Column) -> str:
    return f"({sql_of(column)} IN ({', '.join(map(sql_of, values))}))" if values else "FALSE"


def _struct(*columns: Column) -> str:
    return f"struct_pack({', '.join(f'{quoted(name_of(each))} := {sql_of(_bare(each))}' for each in columns)})"


def _bare(column: Column) -> Column:
    return column.args[0] if column.op == "alias" else column


def _with_field(of: Column, name: str, value: Column) -> str:
    struct = sql_of(of)
    return f"CASE WHEN {struct} IS NOT NULL THEN struct_update({struct}, {quoted(name)} := {sql_of(value)}) END"


def _concat(*columns: Column) -> str:
    return f"({' || '.join(map(sql_of, columns))})"


def _lambda(form: str) -> Callable[[Column, Column, str], str]:
    def of(array: Column, body: Column, name: str) -> str:
        return form.format(array=sql_of(array), name=name, body=sql_of(body))

    return of


def _over(aggregate: Column, window: WindowSpec) -> str:
    form = _FORMS.get(aggregate.op, "")
    if "{over}" in form:
        return form.format(*map(sql_of, aggregate.args), over=f" {_window(window)}")
    return f"{sql_of(aggregate)} {_window(window)}"


def _window(window: WindowSpec) -> str:
    parts = []
    if window.partition:
        parts.append(f"PARTITION BY {', '.join(map(sql_of, window.partition))}")
    if window.order:
        parts.append(f"ORDER BY {order_sql(window.order)}")
    if window.frame is not None:
        kind, start, end = window.frame
        parts.append(f"{kind.upper()} BETWEEN {_bound(start, 'PRECEDING')} AND {_bound(end, 'FOLLOWING')}")
    return f"OVER ({' '.join(parts)})"


def _bound(place: int | None, side: str) -> str:
    if place is None:
        return f"UNBOUNDED {side}"
    if place == 0:
        return "CURRENT ROW"
    return f"{abs(place)} {'PRECEDING' if place < 0 else 'FOLLOWING'}"


def _json(names: Sequence[str], nulls: bool) -> str:
    text = f"to_json({_struct(*map(named, names))})"
    return f"CAST({text if nulls else _without_nulls(text)} AS VARCHAR)"


def _without_nulls(text: str) -> str:
    return f"json_merge_patch('{{}}', {text})"


def _count_distinct(*columns: Column) -> str:
    known = " AND ".join(f"{sql_of(each)} IS NOT NULL" for each in columns)
    return f"count(DISTINCT ({', '.join(map(sql_of, columns))})) FILTER ({known})"


def _percentiles(column: Column, shares: Sequence[float]) -> str:
    return f"quantile_disc({sql_of(column)}, [{', '.join(map(repr, shares))}])"


_SPECIAL: Final[Mapping[str, Callable[..., str]]] = {
    "lit": literal_sql,
    "col": _col,
    "variable": str,
    "sql": str,
    "alias": lambda column, *_: sql_of(column),
    "field": _field,
    "cast": lambda column, kind: f"CAST({sql_of(column)} AS {sql_type(kind)})",
    "case": _case,
    "in": _in,
    "struct": _struct,
    "with_field": _with_field,
    "concat": _concat,
    "hashed": lambda *columns: f"CAST(hash({', '.join(map(sql_of, columns))}) >> 1 AS BIGINT)",
    "transform": _lambda("list_transform({array}, lambda {name}: {body})"),
    "filter": _lambda("list_filter({array}, lambda {name}: {body})"),
    "forall": _lambda("(len(list_filter({array}, lambda {name}: ({body}) IS DISTINCT FROM TRUE)) = 0)"),
    "over": _over,
    "json_of": _json,
    "count_distinct": _count_distinct,
    "percentiles": _percentiles,
}


def item_sql(column: Column | str, fields: Callable[[str], Sequence[str]]) -> list[tuple[str, str]]:
    """Return the name of a selected column and its SQL. `fields` gives the columns of the frame or of a struct."""
    if isinstance(column, str) and column == "*":
        return [(name, quoted(name)) for name in fields("")]
    if isinstance(column, str) and column.endswith(".*"):
        struct = column.removesuffix(".*")
        return [(name, _field(named(struct), name)) for name in fields(struct)]
    column = named(column)
    if column.op == "alias" and column.args[0].op == "posexplode":
        array = sql_of(column.args[0].args[0])
        place, element = column.args[1:]
        return [(place, f"unnest(range(len({array})))"), (element, f"unnest({array})")]
    return [(name_of(column), sql_of(_bare(column)))]


def value_of(value: Any) -> Any:
    """Return a value as plain data."""
    return value
