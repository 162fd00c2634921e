"""Frames that are computed once, for all that builds on them."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.storagelevel import StorageLevel


def kept(frame: DataFrame) -> DataFrame:
    """Compute a frame once, on its first use, for all that builds on it.

    What follows is planned without the plan behind it, which saves most of the time that a small log takes.
    Where executors may be lost, the rows are kept twice.
    """
    local = (frame.sparkSession.sparkContext.master or "").startswith("local")
    level = StorageLevel.MEMORY_AND_DISK if local else StorageLevel.MEMORY_AND_DISK_2
    return frame.localCheckpoint(eager=False, storageLevel=level)
