"""A frame: rows with columns, and operations on them.

An engine makes frames and computes them. The checks of the audit use frames and do not depend on an engine. There are
two engines: `spark_checks.frames.local` computes in this process, `spark_checks.frames.on_spark` on a Spark master.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_checks.frames.columns import Column
from spark_checks.frames.types import Schema

if TYPE_CHECKING:
    import pyarrow as pa

Batches = Callable[[Iterator["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]
"""A function that turns batches of rows into batches of rows."""


class Row(tuple[Any, ...]):
    """The values of a row, by place or by name."""

    names: tuple[str, ...]
    """The names of the values, by their places."""

    @staticmethod
    def of(names: Sequence[str]) -> Callable[[Sequence[Any]], Row]:
        """Return a function that makes a row with these names from its values."""
        return type("Row", (Row,), {"names": tuple(names)})

    def __getitem__(self, key: Any) -> Any:
        """Return the value of a place or of a name."""
        return tuple.__getitem__(self, self.names.index(key) if isinstance(key, str) else key)

    def as_dict(self) -> dict[str, Any]:
        """Return the values by their names."""
        return dict(zip(self.names, self, strict=True))


class Grouped(ABC):
    """The rows of a frame grouped by columns; null equals null."""

    @abstractmethod
    def agg(self, *columns: Column) -> Frame:
        """Return one row for each group: the common columns, and aggregates."""

    @abstractmethod
    def count(self) -> Frame:
        """Return one row for each group: the common columns, and `count`, the number of its rows."""


class Frame(ABC):
    """Rows with columns. Nothing is computed before it is needed."""

    @property
    @abstractmethod
    def engine(self) -> Engine:
        """The engine that computes it."""

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """The names of its columns, in their order."""

    @property
    @abstractmethod
    def schema(self) -> dict[str, str]:
        """Its columns and their types; see spark_checks.frames.types."""

    @abstractmethod
    def select(self, *columns: Column | str) -> Frame:
        """Return other columns of the same rows; `*` stands for all, `calls.*` for the members of a struct."""

    @abstractmethod
    def with_columns(self, columns: Mapping[str, Column]) -> Frame:
        """Return the frame with more columns; a column of an existing name is replaced."""

    def with_column(self, name: str, column: Column) -> Frame:
        """Return the frame with one more column; a column of an existing name is replaced."""
        return self.with_columns({name: column})

    def renamed(self, name: str, other: str) -> Frame:
        """Return the frame with one column under another name."""
        return self.select(*(Column("col", each).alias(other) if each == name else each for each in self.columns))

    def drop(self, *names: str) -> Frame:
        """Return the frame without some columns; names that it lacks are ignored."""
        return self.select(*(name for name in self.columns if name not in names))

    @abstractmethod
    def where(self, condition: Column | str) -> Frame:
        """Return the rows for which a condition holds."""

    @abstractmethod
    def join(self, other: Frame, on: Sequence[str] | str | Column, how: str = "inner") -> Frame:
        """Return the rows of both joined on the columns `on`; null matches nothing.

        `how` is "inner", "left" to keep rows without a match, or "left_semi" and "left_anti" for the left rows alone
        that have a match or none.
        """

    @abstractmethod
    def union_by_name(self, other: Frame, *, missing_as_null: bool = False) -> Frame:
        """Return the rows of both, which have columns of the same names.

        With `missing_as_null` either may lack columns of the other, which are null then.
        """

    @abstractmethod
    def group_by(self, *columns: Column | str) -> Grouped:
        """Group the rows by columns."""

    def agg(self, *columns: Column) -> Frame:
        """Return one row: aggregates of all rows."""
        return self.group_by().agg(*columns)

    @abstractmethod
    def distinct(self) -> Frame:
        """Return the rows without duplicates."""

    @abstractmethod
    def drop_duplicates(self, names: Sequence[str]) -> Frame:
        """Return an arbitrary one of the rows that have columns in common."""

    @abstractmethod
    def order_by(self, *columns: Column | str) -> Frame:
        """Return the rows in an order, null first."""

    @abstractmethod
    def limit(self, number: int) -> Frame:
        """Return at most `count` rows: the first ones if there is an order."""

    @abstractmethod
    def to(self, schema: Schema) -> Frame:
        """Return the columns of a schema, in its order and with its types."""

    @abstractmethod
    def map_batches(
        self, function: Batches, schema: Schema, *, by: Sequence[str] = (), order: Sequence[Column | str] = ()
    ) -> Frame:
        """Return the rows that a function makes from these.

        With `by`, rows that have these columns in common reach it consecutively and in an order; otherwise in any
        order.
        """

    def arranged(self, by: Sequence[str], *order: Column | str) -> Frame:  # noqa: ARG002 - for engines that need it
        """Return the same rows, laid out for several windows that share a partition and an order."""
        return self

    @abstractmethod
    def kept(self) -> Frame:
        """Return the frame, computed once, on its first use, for all frames that build on it."""

    @abstractmethod
    def rows(self) -> Iterator[Row]:
        """Yield the rows one by one."""

    @abstractmethod
    def write_parquet(self, directory: Path) -> None:
        """Write the rows as Parquet files into a directory that does not exist yet."""

    def collect(self) -> list[Row]:
        """Return the rows."""
        return list(self.rows())

    def first(self) -> Row | None:
        """Return the first row; None if there is none."""
        return next(iter(self.limit(1).collect()), None)

    def is_empty(self) -> bool:
        """Return whether there is no row."""
        return self.first() is None

    def count(self) -> int:
        """Return the number of rows."""
        return int(self.agg(Column("count_all").alias("n")).collect()[0][0])


def union(frames: Iterable[Frame]) -> Frame:
    """Return the rows of all frames, which have columns of the same names. There must be at least one frame."""
    return reduce(lambda one, other: one.union_by_name(other), frames)


class Engine(ABC):
    """An engine: it makes frames and computes them."""

    @property
    @abstractmethod
    def errors(self) -> tuple[type[Exception], ...]:
        """The errors that it raises if something cannot be computed: a damaged file, a full disk, too little memory."""

    @property
    @abstractmethod
    def parallelism(self) -> int:
        """The number of tasks that it computes at once."""

    def tasks(self) -> tuple[int, int]:
        """Return how many tasks are done, and how many were begun; neither shrinks. Both are 0 if unknown."""
        return 0, 0

    @abstractmethod
    def frame(self, rows: Iterable[Sequence[Any]], schema: Schema | str) -> Frame:
        """Return a frame of the given rows."""

    @abstractmethod
    def spread(self, work: int, task: Callable[[int], Iterator[pa.RecordBatch]], schema: Schema) -> Frame:
        """Return the rows that `task(number)` yields, for all numbers below `work`."""

    @abstractmethod
    def parquet(self, paths: Sequence[str], *, file: str | None = None, row: str | None = None) -> Frame:
        """Return the rows of Parquet files; on request, each with its file's path and its place there, from 0 on.

        Raises BadInputError if they are not Parquet files.
        """
