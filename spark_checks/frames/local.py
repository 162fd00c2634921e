"""The local engine: frames computed in this process by DuckDB, which needs neither Spark nor Java.

DuckDB moves what exceeds its memory to a temporary directory.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import duckdb

from oracle.errors import BadInputError, Place
from spark_checks.frames.ahead import ahead
from spark_checks.frames.frame import Engine, Frame
from spark_checks.frames.local_frames import LocalFrame, Table
from spark_checks.frames.sql import literal_sql, quoted
from spark_checks.frames.types import Schema, arrow_schema

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH: Final = 50_000
"""The number of rows in a batch from DuckDB."""

_OPTIMIZERS: Final = frozenset(
    {
        "column_lifetime",
        "compressed_materialization",
        "cte_inlining",
        "expression_rewriter",
        "filter_pushdown",
        "late_materialization",
        "projection_pullup",
        "row_group_pruner",
        "unused_columns",
    }
)
"""The optimizers of DuckDB that are used.

The others cost a small log a third of its time and save a large one nothing: frames say themselves what is computed
first, and are joined with the smaller side.
"""


class LocalEngine(Engine):
    """An engine with a database of its own, which uses `directory` beyond its memory.

    `memory_bytes` and `threads` limit what it uses; None leaves that to DuckDB. With `small`, it is for few rows, which
    take less time to compute than a statement takes to plan.
    """

    def __init__(
        self,
        directory: Path | None = None,
        memory_bytes: int | None = None,
        threads: int | None = None,
        *,
        small: bool = False,
    ) -> None:
        self.small = small
        """Whether it is for few rows."""
        settings: dict[str, Any] = {
            "preserve_insertion_order": "false",
            "autoinstall_known_extensions": "false",
        }
        if directory is not None:
            settings["temp_directory"] = str(directory)
        limit = None if memory_bytes is None else f"{memory_bytes // 2**20}MiB"
        if limit is not None:
            settings["memory_limit"] = limit
        if threads is not None:
            settings["threads"] = threads
        self.database = duckdb.connect(":memory:", config=settings)
        if limit is not None:
            with suppress(duckdb.CatalogException):  # an older DuckDB releases memory and takes it again
                self.database.execute(f"SET block_allocator_memory = '{limit}'")
        known = self.database.execute("SELECT name FROM duckdb_optimizers()").fetchall()
        unused = ",".join(name for (name,) in known if name not in _OPTIMIZERS)
        self.database.execute(f"SET disabled_optimizers = '{unused}'")
        self._names = count()

    def close(self) -> None:
        """Release all that the frames hold. None can be computed any more."""
        self.database.close()

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """The errors that it raises if something cannot be computed."""
        return (duckdb.Error,)

    @property
    def parallelism(self) -> int:
        """The number of tasks that it computes at once."""
        return int(self.query("SELECT current_setting('threads')").fetchall()[0][0])

    def query(self, text: str) -> duckdb.DuckDBPyConnection:
        """Run a statement on a connection of its own, so that others may run at the same time."""
        return self.database.cursor().execute(text)

    def name(self, kind: str) -> str:
        """Return an unused name."""
        return f"{kind}{next(self._names)}"

    def together(self, pieces: Iterable[pa.Table]) -> LocalFrame:
        """Return frames with the same columns, at least one, as one frame."""
        name, columns = self.name("f"), list[str]()
        for piece in ahead(pieces):
            cursor = self.database.cursor()
            cursor.register("given", piece)
            cursor.execute(f"{f'INSERT INTO {name}' if columns else f'CREATE TABLE {name} AS'} SELECT * FROM given")
            columns = piece.column_names
        return Table(self, name, columns)

    def batches(self, text: str) -> Iterator[pa.RecordBatch]:
        """Yield the result of a statement in batches of rows, at least one."""
        import pyarrow as pa

        relation = self.database.cursor().sql(text)
        read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch  # before DuckDB 1.5
        reader, empty = read(_BATCH), True
        for batch in reader:
            empty = False
            yield batch
        if empty:
            yield pa.RecordBatch.from_pylist([], schema=reader.schema)

    def drop_with(self, frame: LocalFrame, name: str) -> None:
        """Drop a table when nothing uses its frame any more."""
        weakref.finalize(frame, self._drop, name).atexit = False

    def _drop(self, name: str) -> None:
        with suppress(duckdb.Error):  # the database is closed
            self.query(f"DROP TABLE IF EXISTS {name}")

    def frame(self, rows: Iterable[Sequence[Any]], schema: Schema | str) -> Frame:
        """Return a frame of the given rows."""
        import pyarrow as pa

        wanted = arrow_schema(schema)
        columns = list(zip(*rows, strict=True)) or [()] * len(wanted)
        arrays = [pa.array(column, kind.type) for column, kind in zip(columns, wanted, strict=True)]
        return self._stored(wanted, iter([pa.RecordBatch.from_arrays(arrays, schema=wanted)]))

    def spread(self, work: int, task: Callable[[int], Iterator[pa.RecordBatch]], schema: Schema) -> Frame:
        """Return the rows that `task(number)` yields, for all numbers below `work`."""
        return self._stored(arrow_schema(schema), chain.from_iterable(map(task, range(work))))

    def parquet(self, paths: Sequence[str], *, file: str | None = None, row: str | None = None) -> Frame:
        """Return the rows of Parquet files; see Engine."""
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
        """Store batches of rows as a table, and return its frame."""
        return self.table_of(schema, batches)

    def table_of(self, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> LocalFrame:
        """Return batches of rows as one frame."""
        import pyarrow as pa

        name, raised = self.name("f"), list[BaseException]()
        cursor = self.database.cursor()
        cursor.register("given", pa.RecordBatchReader.from_batches(schema, _noting(raised, schema, ahead(batches))))
        try:
            cursor.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        except duckdb.Error:
            if raised:
                raise raised[0] from None
            raise
        return Table(self, name, schema.names)


def _noting(
    raised: list[BaseException], schema: pa.Schema, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Yield batches of a schema, and note an error in making them: the database reports only its text."""
    try:
        for batch in batches:
            yield batch.cast(schema)
    except BaseException as error:
        raised.append(error)
        raise
