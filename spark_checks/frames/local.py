"""The local engine: frames computed in this process by DuckDB, which needs neither Spark nor Java.

What does not fit into the memory that it may use, DuckDB puts into a temporary directory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import duckdb

from oracle.errors import BadInputError, Place
from spark_checks.frames.columns import Column, name_of, named
from spark_checks.frames.frame import Batches, Engine, Frame, Grouped, Row
from spark_checks.frames.functions import is_condition
from spark_checks.frames.sql import item_sql, literal_sql, order_sql, quoted, sql_of, sql_type
from spark_checks.frames.types import Schema, arrow_schema, parsed

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH: Final = 10_000
"""How many rows come out of DuckDB at a time."""
_JOINS: Final = {"inner": "INNER", "left": "LEFT", "left_semi": "SEMI", "left_anti": "ANTI"}
_SIMPLE: Final = {"VARCHAR": "string", "INTEGER": "int", "BIGINT": "long", "BOOLEAN": "boolean", "DOUBLE": "double"}


class LocalEngine(Engine):
    """Computes frames by a database of its own, in `directory` as far as memory does not do.

    `memory_bytes` and `threads` bound what it uses; None leaves that to DuckDB.
    """

    def __init__(
        self, directory: Path | None = None, memory_bytes: int | None = None, threads: int | None = None
    ) -> None:
        settings: dict[str, Any] = {"preserve_insertion_order": "false", "autoinstall_known_extensions": "false"}
        if directory is not None:
            settings["temp_directory"] = str(directory)
        if memory_bytes is not None:
            settings["memory_limit"] = f"{memory_bytes // 2**20}MiB"
        if threads is not None:
            settings["threads"] = threads
        self.database = duckdb.connect(":memory:", config=settings)
        self._names = count()

    def close(self) -> None:
        """Give back all that the frames hold; none can be computed any more."""
        self.database.close()

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What it raises where something cannot be computed."""
        return (duckdb.Error,)

    @property
    def parallelism(self) -> int:
        """How many tasks it computes at once."""
        return int(self.query("SELECT current_setting('threads')").fetchall()[0][0])

    def query(self, text: str) -> duckdb.DuckDBPyConnection:
        """Run a statement on a connection of its own, so that others may be under way."""
        return self.database.cursor().execute(text)

    def name(self, kind: str) -> str:
        """Return a name that nothing has yet."""
        return f"{kind}{next(self._names)}"

    def frame(self, rows: Iterable[Sequence[Any]], schema: Schema | str) -> Frame:
        """Return a frame of rows that are given."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        wanted = arrow_schema(schema)
        columns = list(zip(*rows, strict=True)) or [()] * len(wanted)
        arrays = [pa.array(column, kind.type) for column, kind in zip(columns, wanted, strict=True)]
        return self._stored(wanted, iter([pa.RecordBatch.from_arrays(arrays, schema=wanted)]))

    def spread(self, work: int, task: Callable[[int], Iterator[pa.RecordBatch]], schema: Schema) -> Frame:
        """Return the rows that `task(number)` yields, for all numbers below `work`."""
        return self._stored(arrow_schema(schema), chain.from_iterable(map(task, range(work))))

    def parquet(self, paths: Sequence[str], *, file: str | None = None, row: str | None = None) -> Frame:
        """Return what is in Parquet files; see Engine."""
        options = "union_by_name = true"
        extra = ""
        if file is not None:
            options += f", filename = {literal_sql(file)}"
        if row is not None:
            options, extra = options + ", file_row_number = true", f" RENAME (file_row_number AS {quoted(row)})"
        listed = ", ".join(map(literal_sql, paths))
        text = f"SELECT *{extra} FROM read_parquet([{listed}], {options})"
        found = LocalFrame(self, text, ())
        try:
            _ = found.schema
        except duckdb.Error as error:
            raise BadInputError(str(error).splitlines()[0], Place(paths[0])) from error
        return found

    def _stored(self, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> LocalFrame:
        """Return batches of rows as a table."""
        return self.table_of(schema, batches)

    def table_of(self, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> LocalFrame:
        """Return batches of rows as a frame that has them all."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        name, raised = self.name("t"), list[BaseException]()
        cursor = self.database.cursor()
        cursor.register("given", pa.RecordBatchReader.from_batches(schema, _noting(raised, schema, batches)))
        try:
            cursor.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        except duckdb.Error:
            if raised:
                raise raised[0] from None
            raise
        return LocalFrame(self, f"SELECT * FROM {name}", (), table=name, columns=schema.names)


def _noting(
    raised: list[BaseException], schema: pa.Schema, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Yield batches of a schema; an error in making them, of which the database tells the text alone, is noted."""
    try:
        for batch in batches:
            yield batch.cast(schema)
    except BaseException as error:
        raised.append(error)
        raise


class LocalFrame(Frame):
    """A frame as a SELECT over others, each of which is named by its `name`; or a table, if it is one."""

    def __init__(
        self,
        engine: LocalEngine,
        text: str,
        parents: Sequence[LocalFrame],
        *,
        table: str | None = None,
        columns: Sequence[str] | None = None,
        order: str = "",
    ) -> None:
        self._engine, self._text, self._parents = engine, text, tuple(parents)
        self._table, self._columns, self._order = table, None if columns is None else list(columns), order
        self._schema: dict[str, str] | None = None
        self._keep = False
        self._own_name = engine.name("f")

    @property
    def engine(self) -> LocalEngine:
        """The engine that computes it."""
        return self._engine

    @property
    def name(self) -> str:
        """By what name others select from it."""
        if self._keep and self._table is None:
            table = self._engine.name("k")
            self._engine.query(f"CREATE TABLE {table} AS {self.statement()}")
            self._table, self._text, self._parents = table, f"SELECT * FROM {table}", ()
        return self._own_name if self._table is None else self._table

    def statement(self) -> str:
        """Return the frame as one statement, with those that it is made of."""
        with_: dict[str, str] = {}
        self._gather(with_)
        named_ = ", ".join(f"{name} AS ({text})" for name, text in with_.items())
        return f"{f'WITH {named_} ' if named_ else ''}{self._text}{self._order}"

    def _gather(self, with_: dict[str, str]) -> None:
        """Add the frames that this one selects from, each after its own."""
        for parent in self._parents:
            name = parent.name
            if parent._table is None and name not in with_:  # noqa: SLF001 - its own kind
                parent._gather(with_)  # noqa: SLF001 - likewise
                with_[name] = parent._text  # noqa: SLF001 - likewise

    @property
    def schema(self) -> dict[str, str]:
        """Its columns and their types."""
        if self._schema is None:
            empty = self._engine.query(f"SELECT * FROM ({self.statement()}) LIMIT 0")
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
        empty = self._engine.query(f"SELECT {sql_of(of)} AS x FROM ({self.statement()}) LIMIT 0")
        assert empty.description is not None  # noqa: S101 - a SELECT has columns
        return [name for name, _ in empty.description[0][1].children]

    def _from(
        self, text: str, *others: LocalFrame, columns: Sequence[str] | None = None, order: str = ""
    ) -> LocalFrame:
        return LocalFrame(self._engine, text, (self, *others), columns=columns, order=order)

    def select(self, *columns: Column | str) -> Frame:
        """Return other columns of the same rows."""
        items = [item for column in columns for item in item_sql(column, self._fields)]
        listed = ", ".join(f"{text} AS {quoted(name)}" for name, text in items)
        text = f"SELECT {listed} FROM {self.name}{self._order}"
        return self._from(text, columns=[name for name, _ in items], order="")

    def with_columns(self, columns: Mapping[str, Column]) -> Frame:
        """Return the frame with more columns, or with others in the place of those of the same name."""
        kept = [columns[name].alias(name) if name in columns else name for name in self.columns]
        added = [column.alias(name) for name, column in columns.items() if name not in self.columns]
        return self.select(*kept, *added)

    def where(self, condition: Column | str) -> Frame:
        """Return the rows for which a condition holds."""
        text = f"SELECT * FROM {self.name} WHERE {sql_of(is_condition(condition))}"
        return self._from(text, columns=self._columns, order=self._order)

    def join(self, other: Frame, on: Sequence[str] | str | Column, how: str = "inner") -> Frame:
        """Return rows of both that have columns in common."""
        assert isinstance(other, LocalFrame)  # noqa: S101 - of one engine
        kind = f"{_JOINS[how]} JOIN {other.name}"
        if isinstance(on, Column):
            columns = [*self.columns, *other.columns]
            text = f"SELECT {', '.join(map(quoted, columns))} FROM {self.name} {kind} ON {sql_of(on)}"
            return self._from(text, other, columns=columns)
        keys = [on] if isinstance(on, str) else list(on)
        own = [name for name in self.columns if name not in keys]
        others = [name for name in other.columns if name not in keys] if how in ("inner", "left") else []
        listed = [f"{self.name}.{quoted(name)}" for name in (*keys, *own)]
        listed += [f"{other.name}.{quoted(name)}" for name in others]
        using = ", ".join(map(quoted, keys))
        text = f"SELECT {', '.join(listed)} FROM {self.name} {kind} USING ({using})"
        return self._from(text, other, columns=[*keys, *own, *others])

    def union_by_name(self, other: Frame, *, missing_as_null: bool = False) -> Frame:
        """Return the rows of both."""
        assert isinstance(other, LocalFrame)  # noqa: S101 - of one engine
        text = f"SELECT * FROM {self.name} UNION ALL BY NAME SELECT * FROM {other.name}"
        added = [name for name in other.columns if name not in self.columns]
        assert missing_as_null or not added, added  # noqa: S101 - frames of one kind
        return self._from(text, other, columns=[*self.columns, *added])

    def group_by(self, *columns: Column | str) -> Grouped:
        """Put together the rows that have columns in common."""
        return _LocalGroups(self, [named(column) for column in columns])

    def distinct(self) -> Frame:
        """Return the rows without repetitions."""
        return self._from(f"SELECT DISTINCT * FROM {self.name}", columns=self._columns)

    def drop_duplicates(self, names: Sequence[str]) -> Frame:
        """Return some one row of those that have columns in common."""
        on = ", ".join(map(quoted, names))
        return self._from(f"SELECT DISTINCT ON ({on}) * FROM {self.name}", columns=self._columns)

    def order_by(self, *columns: Column | str) -> Frame:
        """Return the rows in an order."""
        order = f" ORDER BY {order_sql(columns)}"
        return self._from(f"SELECT * FROM {self.name}", columns=self._columns, order=order)

    def limit(self, number: int) -> Frame:
        """Return at most so many rows."""
        return self._from(f"SELECT * FROM {self.name}{self._order} LIMIT {number}", columns=self._columns)

    def to(self, schema: Schema) -> Frame:
        """Return the columns of a schema."""
        return self.select(*(Column("col", name).cast(kind).alias(name) for name, kind in schema.items()))

    def map_batches(
        self, function: Batches, schema: Schema, *, by: Sequence[str] = (), order: Sequence[Column | str] = ()
    ) -> Frame:
        """Return the rows that a function makes of these."""
        import pyarrow as pa  # noqa: PLC0415 - heavy

        sorted_by = f" ORDER BY {order_sql((*by, *order))}" if by else ""
        text = f"SELECT * FROM ({self.statement()}){sorted_by}"
        batches = pa.RecordBatchReader.from_stream(self._engine.database.cursor().sql(text))
        return self._engine.table_of(arrow_schema(schema), function(iter(batches)))

    def kept(self) -> Frame:
        """Return the frame, computed once."""
        if self._table is not None:
            return self
        found = self._from(f"SELECT * FROM {self.name}{self._order}", columns=self._columns)
        found._keep = True  # noqa: SLF001 - its own kind
        return found

    def rows(self) -> Iterator[Row]:
        """Yield the rows one by one."""
        result = self._engine.query(self.statement())
        make = Row.of([name for name, *_ in result.description or ()])
        while batch := result.fetchmany(_BATCH):
            yield from map(make, batch)

    def write_parquet(self, directory: Path) -> None:
        """Write the rows as a Parquet file into a directory that is not there yet."""
        directory.mkdir(parents=True)
        file = literal_sql(str(directory / "part-0.parquet"))
        self._engine.query(f"COPY ({self.statement()}) TO {file} (FORMAT parquet, COMPRESSION zstd)")


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
        return self._frame._from(text, columns=[name for name, _ in items])  # noqa: SLF001 - its own kind

    def count(self) -> Frame:
        """Return a row for each group, with the number of its rows."""
        return self.agg(Column("count_all").alias("count"))


def _kind_of(kind: Any) -> str:
    """Return a type of DuckDB as schemas name it."""
    if kind.id == "list":
        return f"array<{_kind_of(kind.children[0][1])}>"
    if kind.id == "struct":
        return f"struct<{', '.join(f'{name}: {_kind_of(part)}' for name, part in kind.children)}>"
    return _SIMPLE.get(str(kind), "string")


__all__ = ["LocalEngine", "LocalFrame", "parsed", "sql_type"]
