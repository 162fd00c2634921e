"""The windows of a selection, computed apart from the columns that are carried along.

For each order that a selection uses, DuckDB sorts only the columns that the windows read. The windows are then computed
by place (spark_checks.frames.places), some partitions at a time. Each value is stored with the number of its row, by
which the selection finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from spark_checks.frames.ahead import ahead
from spark_checks.frames.columns import Column, WindowSpec, named, nodes
from spark_checks.frames.sql import order_sql, sql_of

if TYPE_CHECKING:
    import pyarrow as pa

    from spark_checks.frames.places import Places

ROW: Final = "_row"
"""The column that contains the number of a row in its table."""

OF: Final = "_of"
"""The column that contains the number of the row that a value is for."""

_BYTES: Final = 32 * 2**20
"""The least number of bytes of rows that are computed at once, if there are as many."""
_EXPLODING: Final = frozenset({"explode", "explode_outer", "posexplode"})


@dataclass
class Stage:
    """The windows of one partition in one order, which are computed together."""

    partition: tuple[Column, ...]
    """The columns that rows of one partition have in common."""
    order: tuple[Column, ...]
    """The columns by which the rows are ordered."""
    functions: dict[str, tuple[str, tuple[str, ...], WindowSpec]] = field(default_factory=dict)
    """By the name of the value: the function, the columns that it reads by their names in `reads`, and its window."""
    reads: dict[str, str] = field(default_factory=dict)
    """The columns that are read, as SQL, by name."""

    def statement(self, row: str, of: str) -> str:
        """Return the SQL that reads the columns in order. A partition is identified by two hashes of its values."""
        keys = [sql_of(key) for key in self.partition]
        texts = [f"'~' || CAST({key} AS VARCHAR)" for key in keys]
        one, other = (f"hash({', '.join(parts)})" if parts else "0" for parts in (keys, texts))
        places = [f"{sql_of(_bare(key))} AS _o{number}" for number, key in enumerate(self.order)]
        reads = [f"{text} AS {name}" for name, text in self.reads.items()]
        items = ", ".join([f"{row} AS {ROW}", f"{one} AS _p", f"{other} AS _q", *places, *reads])
        order = ", ".join(["_p", "_q", *(_ordering(key, f"_o{number}") for number, key in enumerate(self.order))])
        return f"SELECT {items} FROM {of} ORDER BY {order}"


def windows_of(column: Column | str) -> list[Column]:
    """Return the windows in a column."""
    return [] if isinstance(column, str) else [each for each in nodes(column) if each.op == "over"]


def is_exploding(column: Column | str) -> bool:
    """Return whether a column makes several rows from one."""
    return not isinstance(column, str) and any(each.op in _EXPLODING for each in nodes(column))


def staged(columns: Sequence[Column | str], new_name: Callable[[], str]) -> tuple[list[Column | str], list[Stage]]:
    """Return a selection with columns in place of the windows that can be computed by place, and their stages."""
    from spark_checks.frames.places import is_known

    stages: dict[tuple[str, str], Stage] = {}
    known: dict[str, Column] = {}

    def of_stage(window: WindowSpec) -> Stage:
        partition = ", ".join(map(sql_of, window.partition))
        key = (partition, order_sql(window.order) if window.order else "")
        if not window.order:  # the order does not matter
            key = next((each for each in stages if each[0] == partition), key)
        return stages.setdefault(key, Stage(window.partition, window.order))

    def put(window: Column) -> Column:
        function, spec = window.args
        text = sql_of(window)
        if text not in known:
            stage, name = of_stage(spec), new_name()
            reads = tuple(_read(stage, argument) for argument in function.args)
            stage.functions[name] = (function.op, reads, spec)
            known[text] = Column("col", name)
        return known[text]

    def placed(part: Any) -> Any:
        if isinstance(part, tuple):
            return tuple(map(placed, part))
        if not isinstance(part, Column):
            return part
        if part.op == "over" and is_known(part.args[0].op, part.args[1].frame) and not _nested(part):
            return put(part)
        return Column(part.op, *map(placed, part.args))

    in_order = sorted(range(len(columns)), key=lambda number: not _is_ordered(columns[number]))
    found = {number: placed(columns[number]) for number in in_order}
    return [found[number] for number in range(len(columns))], list(stages.values())


def values_of(stage: Stage, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield the values of a stage's windows for some whole partitions at a time, with the rows that they are for."""
    from spark_checks.frames.places import Places, in_window

    for rows in _whole_partitions(ahead(batches)):
        order = [rows[f"_o{number}"] for number in range(len(stage.order))]
        places = Places.of([rows["_p"], rows["_q"]], order)
        yield _table(stage, rows, places, in_window)


def _table(stage: Stage, rows: Mapping[str, pa.Array], places: Places, in_window: Any) -> pa.Table:
    import pyarrow as pa

    values = {
        name: in_window(op, [rows[each] for each in reads], spec.frame, places, ordered=bool(spec.order))
        for name, (op, reads, spec) in stage.functions.items()
    }
    return pa.table({OF: rows[ROW], **values})


def _whole_partitions(batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, pa.Array]]:
    """Yield rows in as few pieces as their number allows. The rows of a partition stay together."""
    import pyarrow as pa

    waiting: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        if size >= _BYTES and (cut := _first_of_next(waiting[-1], batch)) is not None:
            yield _columns(pa.Table.from_batches([*waiting, batch[:cut]]))
            waiting, size, batch = [], 0, batch[cut:]  # noqa: PLW2901 - the rest of it
        if len(batch) or not waiting:
            waiting.append(batch)
            size += batch.nbytes
    if waiting:
        yield _columns(pa.Table.from_batches(waiting))


def _first_of_next(before: pa.RecordBatch, batch: pa.RecordBatch) -> int | None:
    """Return the row of a batch at which a partition begins; None if all rows belong to one that began before."""
    import pyarrow.compute as pc

    changes = (pc.index(pc.not_equal(batch[name], before[name][-1]), True).as_py() for name in ("_p", "_q"))
    return min((place for place in changes if place >= 0), default=None)


def _columns(rows: pa.Table) -> dict[str, pa.Array]:
    """Return the columns, each in one piece."""
    import pyarrow as pa

    whole = rows.combine_chunks()
    return {
        name: column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
        for name, column in zip(whole.column_names, whole.columns, strict=True)
    }


def _read(stage: Stage, argument: Column) -> str:
    text = sql_of(argument)
    known = {sql: name for name, sql in stage.reads.items()}
    name = known.get(text, f"_a{len(stage.reads)}")
    stage.reads[name] = text
    return name


def _nested(window: Column) -> bool:
    return any(each.op == "over" for each in nodes(window.args[0]))


def _is_ordered(column: Column | str) -> bool:
    return any(window.args[1].order for window in windows_of(column))


def _bare(key: Column) -> Column:
    return key.args[0] if key.op in ("desc", "asc") else key


def _ordering(key: Column, name: str) -> str:
    return order_sql([named(name).desc() if key.op == "desc" else named(name)])
