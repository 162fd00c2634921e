"""The engine on Spark: frames computed on any Spark master, with its shuffles, its spilling and its fault tolerance.

Only this module turns columns into those of Spark, and no other module of the checks imports it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyspark.errors import PySparkException
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, GroupedData, SparkSession
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as spark_fn
from pyspark.storagelevel import StorageLevel

from oracle.errors import BadInputError, Place
from spark_checks.failures import why
from spark_checks.frames.columns import Column, WindowSpec, name_of, named
from spark_checks.frames.frame import Batches, Engine, Frame, Grouped, Row
from spark_checks.frames.functions import is_condition
from spark_checks.frames.types import Schema, parsed

if TYPE_CHECKING:
    import pyarrow as pa
    from py4j.protocol import Py4JError
else:
    from py4j.protocol import Py4JError

Names = Mapping[str, SparkColumn]
"""The Spark columns that element names stand for within `transform` and similar functions."""

_BETWEEN: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "AND": operator.and_, "OR": operator.or_, "+": operator.add, "-": operator.sub, "*": operator.mul,
    "/": operator.truediv,
}  # fmt: skip  # pairs
_METHODS: Final = {
    "&": "bitwiseAND",
    "|": "bitwiseOR",
    "is_null": "isNull",
    "is_not_null": "isNotNull",
    "same": "eqNullSafe",
    "startswith": "startswith",
    "endswith": "endswith",
    "desc": "desc",
    "asc": "asc",
    "not": "__invert__",
    "negative": "__neg__",
}
_RENAMED: Final = {"hashed": "xxhash64", "numbered": "monotonically_increasing_id", "last_known": "last"}
_PLAIN: Final = frozenset({"round", "substring", "slice", "element_at", "array_contains", "array_position"})
"""The functions whose arguments after the first are plain values where they can be."""


def spark_column(column: Column | str, names: Names | None = None) -> SparkColumn:
    """Return a column as one of Spark."""
    column, names = named(column), names or {}
    special = _SPECIAL.get(column.op)
    if special is not None:
        return special(names, *column.args)
    args = [spark_column(each, names) for each in column.args]
    if column.op in _BETWEEN:
        made: SparkColumn = _BETWEEN[column.op](*args)
    elif column.op in _METHODS:
        made = getattr(args[0], _METHODS[column.op])(*args[1:])
    elif column.op in _PLAIN:
        made = getattr(spark_fn, column.op)(args[0], *map(_plain_or, column.args[1:], args[1:]))
    else:
        made = getattr(spark_fn, _RENAMED.get(column.op, column.op))(*args)
    return made


def _plain_or(column: Column, made: SparkColumn) -> Any:
    return _plain(column.args[0]) if column.op == "lit" else made


def _plain(value: object) -> Any:
    return value.value if isinstance(value, Enum) else value


def _case(names: Names, pairs: Sequence[tuple[Column, Column]], otherwise: Column | None) -> SparkColumn:
    (condition, value), *others = pairs
    made = spark_fn.when(spark_column(condition, names), spark_column(value, names))
    for condition, value in others:
        made = made.when(spark_column(condition, names), spark_column(value, names))
    return made if otherwise is None else made.otherwise(spark_column(otherwise, names))


def _struct(names: Names, *columns: Column) -> SparkColumn:
    return spark_fn.struct(*(spark_column(each, names).alias(name_of(each)) for each in columns))


def _applied(name: str) -> Callable[..., SparkColumn]:
    def apply(names: Names, array: Column, body: Column, variable: str) -> SparkColumn:
        function = getattr(spark_fn, name)
        made: SparkColumn = function(
            spark_column(array, names), lambda element: spark_column(body, {**names, variable: element})
        )
        return made

    return apply


def _over(names: Names, aggregate: Column, window: WindowSpec) -> SparkColumn:
    spec = SparkWindow.partitionBy(*(spark_column(each, names) for each in window.partition))
    if window.order:
        spec = spec.orderBy(*(spark_column(each, names) for each in window.order))
    if window.frame is not None:
        kind, start, end = window.frame
        first = SparkWindow.unboundedPreceding if start is None else start
        last = SparkWindow.unboundedFollowing if end is None else end
        spec = spec.rowsBetween(first, last) if kind == "rows" else spec.rangeBetween(first, last)
    if aggregate.op == "different":
        return spark_fn.size(spark_fn.collect_set(spark_column(aggregate.args[0], names)).over(spec))
    return spark_column(aggregate, names).over(spec)


def _is_hex(names: Names, column: Column) -> SparkColumn:
    value = spark_column(column, names)  # a regular expression would take longer
    digits = (spark_fn.lower(value) == value) & spark_fn.unhex(value).isNotNull()
    return spark_fn.when(value.isNotNull(), digits)


def _json(_: Names, columns: Sequence[str], nulls: bool) -> SparkColumn:
    return spark_fn.to_json(spark_fn.struct(*columns), {"ignoreNullFields": str(not nulls).lower()})


_SPECIAL: Final[Mapping[str, Callable[..., SparkColumn]]] = {
    "lit": lambda _, value: spark_fn.lit(_plain(value)),
    "col": lambda _, name: spark_fn.col(name),
    "variable": lambda names, name: names[name],
    "sql": lambda _, text: spark_fn.expr(text),
    "alias": lambda names, column, *given: spark_column(column, names).alias(*given),
    "field": lambda names, column, name: spark_column(column, names)[name],
    "cast": lambda names, column, kind: spark_column(column, names).cast(kind),
    "case": _case,
    "in": lambda names, column, *values: spark_column(column, names).isin(*(_plain(each.args[0]) for each in values)),
    "get": lambda names, column, place: spark_fn.get(spark_column(column, names), spark_column(place, names)),
    "struct": _struct,
    "with_field": lambda names, column, name, value: spark_column(column, names).withField(
        name, spark_column(value, names)
    ),
    "concat_ws": lambda names, separator, *columns: spark_fn.concat_ws(
        separator.args[0], *(spark_column(each, names) for each in columns)
    ),
    "array_join": lambda names, column, separator: spark_fn.array_join(spark_column(column, names), separator.args[0]),
    "is_hex": _is_hex,
    "unpadded": lambda names, column: spark_fn.rtrim(spark_fn.substring_index(spark_column(column, names), "\0", 1)),
    "transform": _applied("transform"),
    "filter": _applied("filter"),
    "forall": _applied("forall"),
    "over": _over,
    "json_of": _json,
    "count_all": lambda _: spark_fn.count("*"),
    "count_distinct": lambda names, *columns: spark_fn.countDistinct(*(spark_column(each, names) for each in columns)),
    "percentiles": lambda names, column, shares: spark_fn.percentile_approx(spark_column(column, names), list(shares)),
    "last_known": lambda names, column: spark_fn.last(spark_column(column, names), ignorenulls=True),
}


def ddl_of(schema: Schema | str) -> str:
    """Return a schema as Spark reads it."""
    return ", ".join(f"`{name}` {kind}" for name, kind in parsed(schema).items())


class SparkEngine(Engine):
    """An engine that computes frames in a Spark session."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        self._stages: dict[int, tuple[int, int]] = {}
        """The tasks that are done and all tasks of each stage that was seen, by the stage's number."""

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """The errors that it raises if something cannot be computed."""
        return (PySparkException, Py4JError)

    @property
    def parallelism(self) -> int:
        """The number of tasks that it computes at once."""
        return int(self.session.sparkContext.defaultParallelism)

    def tasks(self) -> tuple[int, int]:
        """Return how many tasks are done, and how many there are, in all stages that were running when it was called.

        Both numbers only grow, because stages that have ended count too.
        """
        tracker = self.session.sparkContext.statusTracker()
        active = set(tracker.getActiveStageIds())
        for number in active:
            if stage := tracker.getStageInfo(number):
                self._stages[number] = stage.numCompletedTasks, stage.numTasks
        done = sum(done if number in active else every for number, (done, every) in self._stages.items())
        return done, sum(every for _, every in self._stages.values())

    def frame(self, rows: Iterable[Sequence[Any]], schema: Schema | str) -> Frame:
        """Return a frame of the given rows."""
        return SparkFrame(self, self.session.createDataFrame([tuple(row) for row in rows], ddl_of(schema)))

    def spread(self, work: int, task: Callable[[int], Iterator[pa.RecordBatch]], schema: Schema) -> Frame:
        """Return the rows that `task(number)` yields, for all numbers below `work`, each in a task of its own."""

        def run(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in numbers:
                for number in batch.column(0).to_pylist():
                    yield from task(number)

        return SparkFrame(self, self.session.range(0, work, 1, work).mapInArrow(run, ddl_of(schema)))

    def parquet(self, paths: Sequence[str], *, file: str | None = None, row: str | None = None) -> Frame:
        """Return the rows of Parquet files; see Engine."""
        try:
            found = self.session.read.parquet(*paths)
        except (PySparkException, Py4JError) as error:
            raise BadInputError(why(error), Place(paths[0])) from error
        placed = {file: "_metadata.file_path", row: "_metadata.row_index"}
        added = [spark_fn.col(source).alias(name) for name, source in placed.items() if name is not None]
        return SparkFrame(self, found.select("*", *added))


class SparkFrame(Frame):
    """A frame as a DataFrame of Spark."""

    def __init__(self, engine: SparkEngine, frame: DataFrame) -> None:
        self._engine, self._frame = engine, frame

    def _with(self, frame: DataFrame) -> SparkFrame:
        return SparkFrame(self._engine, frame)

    @property
    def engine(self) -> SparkEngine:
        """The engine that computes it."""
        return self._engine

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return list(self._frame.columns)

    @property
    def schema(self) -> dict[str, str]:
        """Its columns and their types."""
        fields = self._frame.schema.fields
        return {field.name: field.dataType.simpleString().replace("bigint", "long") for field in fields}

    def select(self, *columns: Column | str) -> Frame:
        """Return other columns of the same rows."""
        return self._with(self._frame.select(*(each if isinstance(each, str) else _as_named(each) for each in columns)))

    def with_columns(self, columns: Mapping[str, Column]) -> Frame:
        """Return the frame with more columns; a column of an existing name is replaced."""
        return self._with(self._frame.withColumns({name: spark_column(each) for name, each in columns.items()}))

    def drop(self, *names: str) -> Frame:
        """Return the frame without some columns."""
        return self._with(self._frame.drop(*names))

    def where(self, condition: Column | str) -> Frame:
        """Return the rows for which a condition holds."""
        return self._with(self._frame.where(spark_column(is_condition(condition))))

    def join(self, other: Frame, on: Sequence[str] | str | Column, how: str = "inner") -> Frame:
        """Return rows of both that have columns in common."""
        assert isinstance(other, SparkFrame)  # of one engine
        by = spark_column(on) if isinstance(on, Column) else [on] if isinstance(on, str) else list(on)
        return self._with(self._frame.join(other._frame, by, how))

    def union_by_name(self, other: Frame, *, missing_as_null: bool = False) -> Frame:
        """Return the rows of both."""
        assert isinstance(other, SparkFrame)  # of one engine
        both = self._frame.unionByName(other._frame, allowMissingColumns=missing_as_null)
        return self._with(both)

    def group_by(self, *columns: Column | str) -> Grouped:
        """Group the rows by columns."""
        return _SparkGroups(self._engine, self._frame.groupBy(*(_as_named(named(each)) for each in columns)))

    def distinct(self) -> Frame:
        """Return the rows without duplicates."""
        return self._with(self._frame.distinct())

    def drop_duplicates(self, names: Sequence[str]) -> Frame:
        """Return an arbitrary one of the rows that have columns in common."""
        return self._with(self._frame.dropDuplicates(list(names)))

    def order_by(self, *columns: Column | str) -> Frame:
        """Return the rows in an order."""
        return self._with(self._frame.orderBy(*map(spark_column, columns)))

    def limit(self, number: int) -> Frame:
        """Return at most `count` rows."""
        return self._with(self._frame.limit(number))

    def to(self, schema: Schema) -> Frame:
        """Return the columns of a schema."""
        return self.select(*(Column("col", name).cast(kind).alias(name) for name, kind in schema.items()))

    def map_batches(
        self, function: Batches, schema: Schema, *, by: Sequence[str] = (), order: Sequence[Column | str] = ()
    ) -> Frame:
        """Return the rows that a function makes from these."""
        frame = self._arranged(by, order) if by else self._frame
        return self._with(frame.mapInArrow(function, ddl_of(schema)))

    def arranged(self, by: Sequence[str], *order: Column | str) -> Frame:
        """Return the rows shuffled and sorted once, for several windows that share a partition and an order."""
        return self._with(self._arranged(by, order))

    def _arranged(self, by: Sequence[str], order: Sequence[Column | str]) -> DataFrame:
        return self._frame.repartition(*by).sortWithinPartitions(*map(spark_column, (*by, *order)))

    def kept(self) -> Frame:
        """Return the frame, computed once. If executors may be lost, its rows are kept twice."""
        local = (self._engine.session.sparkContext.master or "").startswith("local")
        level = StorageLevel.MEMORY_AND_DISK if local else StorageLevel.MEMORY_AND_DISK_2
        return self._with(self._frame.localCheckpoint(eager=False, storageLevel=level))

    def sent(self) -> Frame:
        """Return the frame marked to be sent to the rows that it is joined with."""
        return self._with(spark_fn.broadcast(self._frame))

    def rows(self) -> Iterator[Row]:
        """Yield the rows one by one."""
        return map(Row.of(self.columns), self._frame.toLocalIterator())

    def collect(self) -> list[Row]:
        """Return the rows."""
        return list(map(Row.of(self.columns), self._frame.collect()))

    def write_parquet(self, directory: Path) -> None:
        """Write the rows as Parquet files into a directory that does not exist yet."""
        self._frame.write.parquet(str(directory), compression="zstd")


def _as_named(column: Column) -> SparkColumn:
    """Return a column under its own name, for Spark would make up another."""
    made = spark_column(column)
    return made if column.op in ("alias", "col") else made.alias(name_of(column))


class _SparkGroups(Grouped):
    """The groups of a DataFrame's rows."""

    def __init__(self, engine: SparkEngine, groups: GroupedData) -> None:
        self._engine, self._groups = engine, groups

    def agg(self, *columns: Column) -> Frame:
        """Return a row for each group."""
        return SparkFrame(self._engine, self._groups.agg(*map(_as_named, columns)))

    def count(self) -> Frame:
        """Return a row for each group, with the number of its rows."""
        return SparkFrame(self._engine, self._groups.count())
