"""Frames: rows with columns, and operations on them that do not depend on the engine that computes them.

>>> from spark_checks.frames import functions as fn
>>> from spark_checks.frames.local import LocalEngine
>>> calls = LocalEngine().frame([("A", 1), ("A", 2), ("B", 1)], "conn string, seq long")
>>> latest = calls.group_by("conn").agg(fn.max("seq").alias("latest"))
>>> sorted(latest.collect())
[('A', 2), ('B', 1)]

`columns` has expressions as data, which `sql` turns into DuckDB's SQL and `on_spark` into Spark's columns. Only `local`
and `on_spark` import their engines. The local engine computes windows by place: `windowed` determines which rows a
window reads, `places` has the arithmetic.
"""

from __future__ import annotations

from spark_checks.frames.columns import Column, Window, WindowSpec
from spark_checks.frames.frame import Engine, Frame, Row, union

__all__ = ["Column", "Engine", "Frame", "Row", "Window", "WindowSpec", "union"]
