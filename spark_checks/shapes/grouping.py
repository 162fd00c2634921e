"""The shapes of all calls: counted, judged once each, and the calls of those that break a rule looked up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from oracle.mqi.constants import MQGMO
from oracle.mqi.profile import PlatformName
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.frames.described import Columns, Long, String, schema_of
from spark_checks.frames.types import arrow_schema
from spark_checks.preparation.capture import GETS
from spark_checks.preparation.columns import QUEUE, has, holds, listed
from spark_checks.preparation.connections import IN_OPEN_UNIT, REF_FIELDS, is_own, with_open_units
from spark_checks.preparation.facts import LogFacts
from spark_checks.preparation.handles import LOCK, PRECEDING, with_handles
from spark_checks.preparation.keeping import kept
from spark_checks.results.findings import SHAPE_RANK
from spark_checks.results.rule_results import Covered
from spark_checks.shapes.features import with_shapes
from spark_checks.shapes.judging import judge
from spark_checks.shapes.shape import Shape

if TYPE_CHECKING:
    import pyarrow as pa

CHECKED, LACKING, VIOLATION = "checked", "lacking", "violation"


class Said(Columns):
    """The judgement on a shape: a row for each rule that was checked, could not be checked, or is broken."""

    shape_id: Long
    """The shape."""
    calls: Long
    """The number of calls that have it."""
    said: String
    """CHECKED, LACKING or VIOLATION."""
    rule: String
    """The rule."""
    missing: list[String]
    """What the rule needs and the calls lack. Null except for LACKING."""
    sentence: String
    """The explanation of a violation; see spark_checks.shapes.judgement.Violation, as for the columns below."""
    proof: list[String]
    """The calls before it that prove a violation, by their names."""
    unless: String
    """The doubt about a violation if the log is not complete."""
    always: String
    """The doubt about a violation in any log."""


_SAID: Final = schema_of(Said)

_DEFINED: Final = {
    "index_type": "string",
    "definition_type": "string",
    "max_msg_length": "long",
    "def_put_response": "string",
    "usage": "string",
}
"""The facts of queues that shapes need, and their types."""


def _defined(calls: Frame, facts: LogFacts) -> Frame:
    """Add to each call the facts of its queue from the headers, as far as shapes need them."""
    if not facts.queues:
        return calls.with_columns({name: fn.lit(None).cast(kind) for name, kind in _DEFINED.items()})
    schema = {**dict.fromkeys(QUEUE, "string"), **_DEFINED}
    known = [tuple(getattr(queue, name) for name in schema) for queue in facts.queues]
    return calls.join(fn.broadcast(calls.engine.frame(known, schema)), [*QUEUE], "left")


@dataclass(frozen=True)
class Shapes:
    """The shapes of a log's calls, and the judgements on them."""

    calls: Frame
    """The log's own calls with their shapes (`shape`, `shape_id`), and what their handles did before."""
    said: Frame
    """The judgements on the distinct shapes, with the columns of Said."""


def shapes_of(calls: Frame, facts: LogFacts) -> Shapes:
    """Judge the shapes of a log's calls. Carried calls count only in the history of handles.

    The messages that a listing shows from before the log are no calls: the queue manager itself may have put them.
    """
    handled = with_handles(_defined(calls, facts), facts.platform, complete=facts.complete)
    shaped = with_shapes(_with_open_units(handled, calls, facts.platform), 2 * facts.clock_us)
    own = shaped.where(is_own() & ~listed())
    return Shapes(own, kept(_judged(own, facts.platform)))


def _with_open_units(handled: Frame, calls: Frame, platform: str) -> Frame:
    """Add IN_OPEN_UNIT, which is asked of gets under the cursor alone: the window costs a twelfth of an audit."""
    under_cursor = fn.col("call").is_in(*GETS) & holds(has("options", MQGMO.MSG_UNDER_CURSOR))
    if calls.where(under_cursor).limit(1).count() == 0:
        return handled.with_column(IN_OPEN_UNIT, fn.lit(False))
    return with_open_units(handled, platform)


def _sayings(shape: Shape, platform: PlatformName) -> Iterator[tuple[Any, ...]]:
    """Yield the judgement on a shape, row by row."""
    judgement = judge(shape, platform)
    for rule in sorted(judgement.checked):
        yield CHECKED, rule, None, None, None, None, None
    for rule, missing in sorted(judgement.lacking.items()):
        if rule not in judgement.checked:
            yield LACKING, rule, list(missing), None, None, None, None
    for violation in judgement.violations:
        yield (
            VIOLATION,
            violation.rule,
            None,
            violation.sentence,
            list(violation.proof),
            violation.unless,
            violation.always,
        )


def judge_batches(platform: PlatformName, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the judgements on distinct shapes, with their `shape_id` and the number of `calls` that have them."""
    import pyarrow as pa  # heavy, and needed on executors only

    schema = arrow_schema(_SAID)
    for batch in batches:
        rows = [
            (row["shape_id"], row["calls"], *saying)
            for row in batch.to_pylist()
            for saying in _sayings(Shape(**row["shape"]), platform)
        ]
        columns = zip(*rows, strict=True) if rows else ([] for _ in schema)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _judged(calls: Frame, platform: PlatformName) -> Frame:
    """Return the judgements on the distinct shapes of calls, and the number of calls of each."""
    distinct = calls.group_by("shape_id", "shape").agg(fn.count("*").alias("calls"))
    return distinct.map_batches(partial(judge_batches, platform), _SAID)


def covered_by_shapes(said: Frame) -> dict[str, Covered]:
    """Count, for each rule, the calls that it was checked with and those that lack something."""
    rows = (
        said.where(fn.col("said") != VIOLATION)
        .group_by("rule")
        .agg(
            fn.sum(fn.when(fn.col("said") == CHECKED, fn.col("calls")).otherwise(0)).alias("checked"),
            fn.sum(fn.when(fn.col("said") == LACKING, fn.col("calls")).otherwise(0)).alias("lacking"),
            fn.array_sort(fn.array_distinct(fn.flatten(fn.collect_list("missing")))).alias("missing"),
        )
        .collect()
    )
    return {row["rule"]: Covered(row["checked"], row["lacking"], tuple(row["missing"])) for row in rows}


def _sentence() -> Column:
    """Return the sentence of a violation with the call's names in it."""
    sentence: Column = fn.col("sentence")
    for name in ("call", "conn", "msg_id"):
        sentence = fn.replace(sentence, fn.lit(f"{{{name}}}"), fn.coalesce(fn.col(name), fn.lit("unknown")))
    return sentence


def _calls() -> Column:
    """Return the calls that prove a violation: the earlier ones that it names, in order, and the call itself."""
    parts = [
        fn.when(fn.array_contains("proof", name), fn.struct(*(fn.col(f"{name}.{field}") for field in REF_FIELDS)))
        for name in PRECEDING
    ]
    itself = fn.struct(*REF_FIELDS)
    before = fn.filter(fn.array(*parts), lambda call: call["call"].is_not_null())
    by_seq = fn.transform(before, lambda call: fn.struct(call["seq"].alias("seq"), call.alias("call")))
    in_order = fn.transform(fn.array_sort(fn.array_distinct(by_seq)), lambda each: each["call"])
    return fn.concat(in_order, fn.array(itself))


def violating(shapes: Shapes, *, complete: bool) -> Frame | None:
    """Return the candidates for findings: the calls of the shapes that break a rule (results/findings.py).

    None if no shape breaks a rule, so that the calls need not be searched.
    """
    violations = shapes.said.where(fn.col("said") == VIOLATION).select(
        "shape_id", "rule", "sentence", "proof", "unless", "always"
    )
    if violations.is_empty():
        return None
    rows = shapes.calls.join(fn.broadcast(violations), "shape_id")
    return rows.select(
        *QUEUE,
        "rule",
        fn.coalesce("msg_id", fn.when(fn.array_contains("proof", LOCK), fn.col(f"{LOCK}.msg_id"))).alias("msg_id"),
        "conn",
        "seq",
        "lo",
        _calls().alias("calls"),
        _sentence().alias("sentence"),
        (fn.col("always") if complete else fn.coalesce("always", "unless")).alias("doubt"),
        fn.concat_ws("|", "rule", "conn", fn.col("seq").cast("string")).alias("once"),
        fn.lit(SHAPE_RANK).alias("rank"),
    )
