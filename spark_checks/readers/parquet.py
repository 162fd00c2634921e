"""Event logs in Parquet: columns checked file by file, values checked record by record, read by the engine itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.parquet as pq

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import CALLS, COLUMNS, MOST_US
from spark_checks.frames import Column, Engine, Frame
from spark_checks.frames import functions as fn
from spark_checks.frames.schema import (
    CALL,
    FAULT,
    HEX_DIGITS,
    INT_COLUMNS,
    KIND,
    NOTE,
    REQUIRED_COLUMNS,
    ROW_SCHEMA,
    TEXT_COLUMNS,
    type_of,
)
from spark_checks.readers.detect import Source

_FILE, _ROW = "_file", "_row"
"""The place of a record: the path of its file, and its place in the file."""

_PLAIN_TEXTS = TEXT_COLUMNS - HEX_DIGITS.keys() - {"call"}


def _fits(column: str, kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if column in TEXT_COLUMNS:
        return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
    return bool(pa.types.is_signed_integer(kind) or kind == pa.uint32())


def _columns(source: Source) -> frozenset[str]:
    """Return the canonical columns of a file.

    Raises BadInputError if it is damaged, lacks a column that every record has, or one has another type.
    """
    place = Place(source.name)
    if source.name != source.path:
        raise BadInputError("a Parquet file whose name is not UTF-8 cannot be opened: rename it", place)
    try:
        schema = pq.read_schema(source.path)
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise BadInputError(f"damaged Parquet file: {str(error).splitlines()[0]}", place) from error
    present = frozenset(schema.names) & frozenset(COLUMNS)
    missing = [name for name in REQUIRED_COLUMNS if name not in present]
    if missing:
        raise BadInputError(f"a Parquet file without the columns {', '.join(missing)} is not an event log", place)
    for name in sorted(present):
        kind = schema.field(name).type
        if not _fits(name, kind):
            raise BadInputError(f"column {name} has the type {kind}, not that of an event log", place)
    return present


def _is_hex(value: Column, digits: int) -> Column:
    """Return whether a text is null or has this number of hexadecimal digits; a regular expression would be slower."""
    return value.is_null() | ((fn.length(value) == digits) & fn.is_hex(value))


def _faults() -> Column:
    """Return the reason why a record of a Parquet file is invalid; null for a valid one."""
    reasons = [
        *(fn.when(fn.col(name).is_null(), fn.lit(f"{name}: missing")) for name in REQUIRED_COLUMNS),
        fn.when(~fn.col("call").is_in(*CALLS), fn.lit("call: not a call of an event log")),
        fn.when(fn.col("end_us") < fn.col("start_us"), fn.lit("end_us lies before start_us")),
        *(
            fn.when(~fn.col(name).between(-MOST_US, MOST_US), fn.lit(f"{name}: no time"))
            for name in ("start_us", "end_us", "put_us")
        ),
        *(fn.when(~fn.is_valid_utf8(fn.col(name)), fn.lit(f"{name}: not UTF-8")) for name in sorted(_PLAIN_TEXTS)),
        *(
            fn.when(~_is_hex(fn.col(name), digits), fn.lit(f"{name}: not {digits} hexadecimal digits"))
            for name, digits in HEX_DIGITS.items()
        ),
        *(
            fn.when(~fn.col(name).between(-(2**31), 2**32 - 1), fn.lit(f"{name}: more than 32 bits"))
            for name in sorted(INT_COLUMNS)
        ),
    ]
    return fn.coalesce(*reasons)


def _narrow(column: str) -> Column:
    value = fn.col(column)
    return fn.when(value >= 2**31, value - 2**32).otherwise(value).cast(type_of(column))


def read_parquet(engine: Engine, sources: Iterable[Source]) -> tuple[list[Frame], list[BadInputError]]:
    """Return the records of Parquet event logs unchanged, one frame for the files with the same columns.

    With them come the errors for files that are damaged as a whole or have other columns.
    """
    by_columns: dict[frozenset[str], list[str]] = defaultdict(list)
    refused: list[BadInputError] = []
    for source in sources:
        try:
            by_columns[_columns(source)].append(source.path)
        except BadInputError as error:  # the others are read
            refused.append(error)
    frames = []
    for present, paths in by_columns.items():
        wide = {name: "string" if name in TEXT_COLUMNS else "long" for name in COLUMNS}
        own = {"source": fn.col(_FILE), "line": fn.col(_ROW) + 1}
        columns = {name: fn.col(name) if name in present else own.get(name, fn.lit(None)) for name in COLUMNS}
        records = engine.parquet(paths, file=_FILE, row=_ROW)
        frames.append(records.select(*(columns[name].cast(wide[name]).alias(name) for name in wide)))
    return frames, refused


def rows_of_parquet(records: Frame, *, faultless: bool = False) -> Frame:
    """Return records as rows (ROW_SCHEMA); none is examined if all are known to be `faultless`."""
    judged = records.with_column(NOTE, fn.lit(None).cast("string") if faultless else _faults())
    return judged.select(
        fn.when(fn.col(NOTE).is_null(), CALL).otherwise(FAULT).alias(KIND),
        NOTE,
        *(
            (fn.when(fn.col(NOTE).is_null(), _narrow(name)) if name in INT_COLUMNS else fn.col(name)).alias(name)
            for name in COLUMNS
        ),
    ).to(ROW_SCHEMA)
