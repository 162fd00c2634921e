"""Event logs in Parquet: columns checked file by file, values checked record by record, read by Spark itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from oracle.errors import BadInputError, Place
from oracle.event_log import CALLS, COLUMNS, MOST_US
from spark_checks.readers.detect import Source
from spark_checks.schema import (
    CALL,
    FAULT,
    IDENTIFIER_COLUMNS,
    INT_COLUMNS,
    KIND,
    NOTE,
    REQUIRED_COLUMNS,
    ROW_SCHEMA,
    TEXT_COLUMNS,
    spark_type,
)

_HEX = dict.fromkeys(IDENTIFIER_COLUMNS, 48) | {"sel_token": 32, "digest": 64}
_PLAIN_TEXTS = TEXT_COLUMNS - _HEX.keys() - {"call"}


def _fits(column: str, kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if column in TEXT_COLUMNS:
        return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
    return bool(pa.types.is_signed_integer(kind) or kind == pa.uint32())


def _columns(source: Source) -> frozenset[str]:
    """Return the canonical columns that a file has.

    Raises BadInputError if it is damaged, lacks a column that every record has, or one has another type.
    """
    place = Place(source.name)
    if source.name != source.path:
        raise BadInputError("Spark cannot open a file whose name is not UTF-8: rename it", place)
    try:
        schema = pq.read_schema(source.path)
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise BadInputError(f"damaged Parquet file: {str(error).splitlines()[0]}", place) from error
    present = frozenset(schema.names) & frozenset(COLUMNS)
    missing = [name for name in REQUIRED_COLUMNS if name not in present]
    if missing:
        raise BadInputError(f"a Parquet file without the columns {', '.join(missing)} is no event log", place)
    for name in sorted(present):
        kind = schema.field(name).type
        if not _fits(name, kind):
            raise BadInputError(f"column {name} has the type {kind}, not that of an event log", place)
    return present


def _is_hex(value: Column, digits: int) -> Column:
    """Return whether a text is missing or so many hexadecimal digits; a regular expression would take longer."""
    return value.isNull() | ((fn.length(value) == digits) & (fn.lower(value) == value) & fn.unhex(value).isNotNull())


def _faults() -> Column:
    """Return the reason why a record of a Parquet file is none, null where it is one."""
    reasons = [
        *(fn.when(fn.col(name).isNull(), fn.lit(f"{name}: missing")) for name in REQUIRED_COLUMNS),
        fn.when(~fn.col("call").isin(*CALLS), fn.lit("call: no call of an event log")),
        fn.when(fn.col("end_us") < fn.col("start_us"), fn.lit("end_us lies before start_us")),
        *(
            fn.when(~fn.col(name).between(-MOST_US, MOST_US), fn.lit(f"{name}: no time"))
            for name in ("start_us", "end_us", "put_us")
        ),
        *(fn.when(~fn.is_valid_utf8(fn.col(name)), fn.lit(f"{name}: not UTF-8")) for name in sorted(_PLAIN_TEXTS)),
        *(
            fn.when(~_is_hex(fn.col(name), digits), fn.lit(f"{name}: not {digits} hexadecimal digits"))
            for name, digits in _HEX.items()
        ),
        *(
            fn.when(~fn.col(name).between(-(2**31), 2**32 - 1), fn.lit(f"{name}: more than 32 bits"))
            for name in sorted(INT_COLUMNS)
        ),
    ]
    return fn.coalesce(*reasons)


def _narrow(column: str) -> Column:
    value = fn.col(column)
    return fn.when(value >= 2**31, value - 2**32).otherwise(value).cast(spark_type(column))


def read_parquet(spark: SparkSession, sources: Iterable[Source]) -> tuple[list[DataFrame], list[BadInputError]]:
    """Return the records of Parquet event logs as they stand there, one frame for the files with the same columns.

    Beside them stand the errors for files that are damaged as a whole or have other columns.
    """
    by_columns: dict[frozenset[str], list[str]] = defaultdict(list)
    refused: list[BadInputError] = []
    for source in sources:
        try:
            by_columns[_columns(source)].append(source.path)
        except BadInputError as error:  # noqa: PERF203 - the others are read
            refused.append(error)
    frames = []
    for present, paths in by_columns.items():
        wide = {name: "string" if name in TEXT_COLUMNS else "long" for name in COLUMNS}
        own = {"source": fn.col("_metadata.file_path"), "line": fn.col("_metadata.row_index") + 1}
        columns = {name: fn.col(name) if name in present else own.get(name, fn.lit(None)) for name in COLUMNS}
        frames.append(spark.read.parquet(*paths).select(*(columns[name].cast(wide[name]).alias(name) for name in wide)))
    return frames, refused


def rows_of_parquet(records: DataFrame, *, faultless: bool = False) -> DataFrame:
    """Return records as rows (ROW_SCHEMA); none is looked at if all are known to be `faultless`."""
    judged = records.withColumn(NOTE, fn.lit(None).cast("string") if faultless else _faults())
    return judged.select(
        fn.when(fn.col(NOTE).isNull(), CALL).otherwise(FAULT).alias(KIND),
        NOTE,
        *(
            (fn.when(fn.col(NOTE).isNull(), _narrow(name)) if name in INT_COLUMNS else fn.col(name)).alias(name)
            for name in COLUMNS
        ),
    ).to(ROW_SCHEMA)
