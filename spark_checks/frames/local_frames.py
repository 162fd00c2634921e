"""The frames of the local engine: SELECTs over other frames, and tables in the database."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from spark_checks.frames.columns import Column, name_of, named
from spark_checks.frames.frame import Batches, Frame, Grouped, Row
from spark_checks.frames.functions import is_condition
from spark_checks.frames.sql import item_sql, literal_sql, order_sql, quoted, sql_of
from spark_checks.frames.types import Schema, arrow_schema
from spark_checks.frames.windowed import OF, ROW, Stage, is_exploding, staged, values_of, windows_of

if TYPE_CHECKING:
    from spark_checks.frames.local import LocalEngine

_JOINS: Final = {"inner": "INNER", "left": "LEFT", "left_semi": "SEMI", "left_anti": "ANTI"}
_SIMPLE: Final = {"VARCHAR": "string", "INTEGER": "int", "BIGINT": "long", "BOOLEAN": "boolean", "DOUBLE": "double"}
_ROWS: Final = 10_000
"""The number of rows fetched from DuckDB at a time when they are read one by one."""
_ROW_OF_TABLE: Final = re.compile(r"\bf\d+\.rowid\b")
"""The place of a row in a table that may not exist yet."""


class LocalFrame(Frame):
    """A frame as a SELECT over others, which it refers to by their `name`.

    With `row`, each of its rows has its row number in the table that it was made from. The number is in a column `ROW`,
    which is not one of `columns`; values that are computed apart are joined by it.
    """

    def __init__(
        self,
        engine: LocalEngine,
        text: str,
        parents: Sequence[LocalFrame],
        *,
        columns: Sequence[str] | None = None,
        order: str = "",
        row: bool = False,
    ) -> None:
        self._engine, self._text, self._parents = engine, text, tuple(parents)
        self._columns, self._order, self._carries_row = None if columns is None else list(columns), order, row
        self._schema: dict[str, str] | None = None
        self.members: dict[str, list[str]] = {}
        """The members of columns that are structs, as far as they are known without asking the database."""
        self.name = engine.name("f")
        """The name by which others select from it."""

    @property
    def engine(self) -> LocalEngine:
        """The engine that computes it."""
        return self._engine

    @property
    def is_table(self) -> bool:
        """Whether it is a table of this name in the database."""
        return False

    @property
    def row(self) -> str | None:
        """SQL for the number of each of its rows; None if its rows are not numbered."""
        return f"{self.name}.{ROW}" if self._carries_row else None

    def prepare(self) -> None:
        """Compute what must exist before a statement with this frame can run."""

    def described(self) -> str:
        """Return the frame as SQL that has its columns and their types, and runs without anything computed before."""
        return self._text

    def statement(self) -> str:
        """Return the frame as one statement that includes the frames that it is made from."""
        return self._statement(described=False)

    def _statement(self, *, described: bool) -> str:
        with_: dict[str, str] = {}
        self._gather(with_, described=described)
        named_ = ", ".join(f"{name} AS ({text})" for name, text in with_.items())
        text = self.described() if described else self._text
        if self._carries_row:
            text = f"SELECT * EXCLUDE ({ROW}) FROM ({text})"
        whole = f"{f'WITH {named_} ' if named_ else ''}{text}{self._order}"
        return _ROW_OF_TABLE.sub("0::BIGINT", whole) if described else whole

    def _gather(self, with_: dict[str, str], *, described: bool) -> None:
        """Add the frames that this one selects from, each after its own."""
        if not described:
            self.prepare()
        for parent in self._parents:
            if not described:
                parent.prepare()
            if not parent.is_table and parent.name not in with_:
                parent._gather(with_, described=described)
                with_[parent.name] = parent.described() if described else parent._text

    @property
    def schema(self) -> dict[str, str]:
        """Its columns and their types."""
        if self._schema is None:
            empty = self._engine.query(f"SELECT * FROM ({self._statement(described=True)}) LIMIT 0")
            self._schema = {name: _kind_of(kind) for name, kind, *_ in empty.description or ()}
        return dict(self._schema)

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        if self._columns is None:
            self._columns = list(self.schema)
        return list(self._columns)

    def _fields(self, of: str) -> Sequence[str]:
        if not of:
            return self.columns
        if of in self.members:
            return self.members[of]
        empty = self._engine.query(f"SELECT {sql_of(of)} AS x FROM ({self._statement(described=True)}) LIMIT 0")
        assert empty.description is not None  # a SELECT has columns
        return [name for name, _ in empty.description[0][1].children]

    def _from(
        self,
        text: str,
        *others: LocalFrame,
        columns: Sequence[str] | None = None,
        order: str = "",
        row: bool = False,
    ) -> LocalFrame:
        return LocalFrame(self._engine, text, (self, *others), columns=columns, order=order, row=row)

    def _all(self) -> str:
        """Return all columns as SQL, without `ROW`."""
        return f"* EXCLUDE ({ROW})" if self._carries_row else "*"

    def row_item(self) -> str:
        """Return the item that a SELECT from this frame adds so that its rows keep their numbers."""
        return "" if self.row is None else f", {self.row} AS {ROW}"

    def select(self, *columns: Column | str) -> Frame:
        """Return other columns of the same rows."""
        if any(windows_of(column) for column in columns):
            return _Windowed(self, columns)
        return self._selected(columns)

    def _selected(self, columns: Sequence[Column | str]) -> LocalFrame:
        text, names = self.selecting(columns)
        has_row = self.row is not None and not any(map(is_exploding, columns))
        extra = self.row_item() if has_row else ""
        found = self._from(f"SELECT {text}{extra} FROM {self.name}{self._order}", columns=names, row=has_row)
        found.members = self.members_of(columns)
        return found

    def members_of(self, columns: Sequence[Column | str]) -> dict[str, list[str]]:
        """Return the members of a selection's columns that are structs, as far as they are known."""
        found = {}
        for column in columns:
            if isinstance(column, str) and column == "*":
                found.update(self.members)
                continue
            made = _element(named(column))
            if made.op == "struct":
                found[name_of(named(column))] = [name_of(each) for each in made.args]
            elif made.op == "col" and made.args[0] in self.members:
                found[name_of(named(column))] = self.members[made.args[0]]
        return found

    def selecting(self, columns: Sequence[Column | str]) -> tuple[str, list[str]]:
        """Return columns as the items of a SELECT, and their names."""
        items = [item for column in columns for item in item_sql(column, self._fields)]
        return ", ".join(f"{text} AS {quoted(name)}" for name, text in items), [name for name, _ in items]

    def with_columns(self, columns: Mapping[str, Column]) -> Frame:
        """Return the frame with more columns; a column of an existing name is replaced."""
        kept = [columns[name].alias(name) if name in columns else name for name in self.columns]
        added = [column.alias(name) for name, column in columns.items() if name not in self.columns]
        return self.select(*kept, *added)

    def where(self, condition: Column | str) -> Frame:
        """Return the rows for which a condition holds."""
        every = f"{self._all()}{self.row_item()}"
        text = f"SELECT {every} FROM {self.name} WHERE {sql_of(is_condition(condition))}"
        found = self._from(text, columns=self._columns, order=self._order, row=self.row is not None)
        found.members = self.members
        return found

    def join(self, other: Frame, on: Sequence[str] | str | Column, how: str = "inner") -> Frame:
        """Return rows of both that have columns in common."""
        assert isinstance(other, LocalFrame)  # of one engine
        kind = f"{_JOINS[how]} JOIN {other.name}"
        if isinstance(on, Column):
            columns = [*self.columns, *other.columns]
            text = f"SELECT {', '.join(map(quoted, columns))} FROM {self.name} {kind} ON {sql_of(on)}"
            return self._from(text, other, columns=columns)
        keys = [on] if isinstance(on, str) else list(on)
        own = [name for name in self.columns if name not in keys]
        others = [name for name in other.columns if name not in keys] if how in ("inner", "left") else []
        assert not set(own).intersection(others), set(own).intersection(others)  # Spark could not distinguish them
        listed = [f"{self.name}.{quoted(name)}" for name in (*keys, *own)]
        listed += [f"{other.name}.{quoted(name)}" for name in others]
        using = ", ".join(map(quoted, keys))
        text = f"SELECT {', '.join(listed)} FROM {self.name} {kind} USING ({using})"
        return self._from(text, other, columns=[*keys, *own, *others])

    def union_by_name(self, other: Frame, *, missing_as_null: bool = False) -> Frame:
        """Return the rows of both."""
        assert isinstance(other, LocalFrame)  # of one engine
        text = f"SELECT {self._all()} FROM {self.name} UNION ALL BY NAME SELECT {other._all()} FROM {other.name}"
        added = [name for name in other.columns if name not in self.columns]
        assert missing_as_null or not added, added  # frames of one kind
        return self._from(text, other, columns=[*self.columns, *added])

    def group_by(self, *columns: Column | str) -> Grouped:
        """Group the rows by columns."""
        return _LocalGroups(self, [named(column) for column in columns])

    def distinct(self) -> Frame:
        """Return the rows without duplicates."""
        return self._from(f"SELECT DISTINCT {self._all()} FROM {self.name}", columns=self._columns)

    def drop_duplicates(self, names: Sequence[str]) -> Frame:
        """Return an arbitrary one of the rows that have columns in common."""
        on = ", ".join(map(quoted, names))
        return self._from(f"SELECT DISTINCT ON ({on}) {self._all()} FROM {self.name}", columns=self._columns)

    def order_by(self, *columns: Column | str) -> Frame:
        """Return the rows in an order."""
        order = f" ORDER BY {order_sql(columns)}"
        return self._from(f"SELECT {self._all()} FROM {self.name}", columns=self._columns, order=order)

    def limit(self, number: int) -> Frame:
        """Return at most `count` rows."""
        return self._from(f"SELECT {self._all()} FROM {self.name}{self._order} LIMIT {number}", columns=self._columns)

    def to(self, schema: Schema) -> Frame:
        """Return the columns of a schema."""
        return self.select(*(Column("col", name).cast(kind).alias(name) for name, kind in schema.items()))

    def over(self, text: str) -> str:
        """Return a SELECT over this frame as a statement that includes everything that the frame is made from."""
        return LocalFrame(self._engine, text, (self,)).statement()

    def map_batches(
        self, function: Batches, schema: Schema, *, by: Sequence[str] = (), order: Sequence[Column | str] = ()
    ) -> Frame:
        """Return the rows that a function makes from these."""
        sorted_by = f" ORDER BY {order_sql((*by, *order))}" if by else ""
        batches = self._engine.batches(f"SELECT * FROM ({self.statement()}){sorted_by}")
        return self._engine.table_of(arrow_schema(schema), function(batches))

    def kept(self) -> Frame:
        """Return the frame, computed once."""
        return self if self.is_table else _Kept(self)

    def rows(self) -> Iterator[Row]:
        """Yield the rows one by one."""
        result = self._engine.query(self.statement())
        make = Row.of([name for name, *_ in result.description or ()])
        while batch := result.fetchmany(_ROWS):
            yield from map(make, batch)

    def write_parquet(self, directory: Path) -> None:
        """Write the rows as a Parquet file into a directory that does not exist yet."""
        directory.mkdir(parents=True)
        file = literal_sql(str(directory / "part-0.parquet"))
        self._engine.query(f"COPY ({self.statement()}) TO {file} (FORMAT parquet, COMPRESSION zstd)")


class Table(LocalFrame):
    """A frame that is a table in the database, until nothing uses it any more."""

    def __init__(self, engine: LocalEngine, name: str, columns: Sequence[str]) -> None:
        super().__init__(engine, f"SELECT * FROM {name}", (), columns=columns)
        self.name = name
        engine.drop_with(self, name)

    @property
    def is_table(self) -> bool:
        """Whether it is a table of this name in the database."""
        return True

    @property
    def row(self) -> str | None:
        """SQL for the number of each of its rows."""
        return f"{self.name}.rowid"


class _Kept(LocalFrame):
    """A frame that is computed on its first use and is a table in the database from then on."""

    def __init__(self, frame: LocalFrame) -> None:
        super().__init__(frame.engine, f"SELECT * FROM {frame.name}", (frame,), columns=frame._columns)
        self._source: LocalFrame | None = frame
        self.members = frame.members

    @property
    def is_table(self) -> bool:
        """Whether it is a table of this name in the database."""
        return self._source is None

    @property
    def row(self) -> str | None:
        """SQL for the number of each of its rows: by the time this is asked, it will be a table."""
        return f"{self.name}.rowid"

    def prepare(self) -> None:
        """Compute it."""
        if self._source is None:
            return
        self._engine.query(f"CREATE TABLE {self.name} AS {self._source.statement()}")
        self._engine.drop_with(self, self.name)
        self._source, self._parents, self._text = None, (), f"SELECT * FROM {self.name}"


class _Windowed(LocalFrame):
    """A selection with windows, which are computed by place: see spark_checks.frames.places."""

    def __init__(self, base: LocalFrame, columns: Sequence[Column | str]) -> None:
        self._base, self._selects = base, tuple(columns)
        if base.row is None or (base.engine.small and not base.is_table):
            self._base = base = _Kept(base)
        text, names = base.selecting(columns)
        super().__init__(
            base.engine,
            f"SELECT {text}{base.row_item()} FROM {base.name}",
            (base,),
            columns=names,
            row=True,
        )
        self.members = base.members_of(columns)
        self._ready = False

    def prepare(self) -> None:
        """Compute the windows."""
        if self._ready:
            return
        self._ready = True
        base = self._base
        base.prepare()
        columns, stages = staged(self._selects, partial(self._engine.name, "_w"))
        tables = [self._computed(stage) for stage in stages]
        text, _ = base.selecting(columns)
        joins = "".join(f" JOIN {table.name} ON {base.row} = {table.name}.{OF}" for table in tables)
        self._text = f"SELECT {text}{base.row_item()} FROM {base.name}{joins}{base._order}"
        self._parents = (base, *tables)

    def _computed(self, stage: Stage) -> LocalFrame:
        """Return a table with the values of the windows of a stage."""
        read = self._base.over(stage.statement(str(self._base.row), self._base.name))
        return self._engine.together(values_of(stage, self._engine.batches(read)))


class _LocalGroups(Grouped):
    """The groups of a frame's rows."""

    def __init__(self, frame: LocalFrame, keys: Sequence[Column]) -> None:
        self._frame, self._keys = frame, keys

    def agg(self, *columns: Column) -> Frame:
        """Return a row for each group."""
        items = [(name_of(each), sql_of(each)) for each in (*self._keys, *columns)]
        listed = ", ".join(f"{text} AS {quoted(name)}" for name, text in items)
        places = ", ".join(str(number + 1) for number in range(len(self._keys)))
        groups = f" GROUP BY {places}" if places else ""
        text = f"SELECT {listed} FROM {self._frame.name}{groups}"
        return self._frame._from(text, columns=[name for name, _ in items])

    def count(self) -> Frame:
        """Return a row for each group, with the number of its rows."""
        return self.agg(Column("count_all").alias("count"))


def _element(column: Column) -> Column:
    """Return the column with the same members: a named column's own, an element of an array, a choice."""
    while column.op in ("alias", "array", "array_compact", "explode", "case") and column.args:
        column = column.args[0][0][1] if column.op == "case" else column.args[0]
    return column


def _kind_of(kind: Any) -> str:
    """Return the name that schemas give a type of DuckDB."""
    if kind.id == "list":
        return f"array<{_kind_of(kind.children[0][1])}>"
    if kind.id == "struct":
        return f"struct<{', '.join(f'{name}: {_kind_of(part)}' for name, part in kind.children)}>"
    return _SIMPLE.get(str(kind), "string")
