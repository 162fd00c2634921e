"""A check of what a cluster's executors lack, made before the work begins.

An executor loads this module from the code that the driver sends, so it imports nothing that may be missing there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from platform import node
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NEEDED: Final = {"pydantic": "pydantic", "yaml": "PyYAML", "pandas": "pandas", "pyarrow": "pyarrow", "dpkt": "dpkt"}
"""The modules that the audit's tasks import, with the distributions that contain them."""
_ASKED_A_CORE: Final = 2


def _lacking(_: Iterable[int]) -> Iterator[tuple[str, str]]:
    """Yield this machine's name with each thing that its Python lacks."""
    for module, installed in NEEDED.items():
        if find_spec(module) is None:
            yield node(), installed


def lacking(spark: SparkSession) -> dict[str, list[str]]:
    """Return what the Python of the executors lacks, by machine; machines that lack nothing are left out.

    Raises Spark's error if the executors cannot run a Python of the driver's version.
    """
    tasks = _ASKED_A_CORE * spark.sparkContext.defaultParallelism
    found = set(spark.sparkContext.parallelize(range(tasks), tasks).mapPartitions(_lacking).collect())
    machines = sorted({machine for machine, _ in found})
    return {machine: [name for name in NEEDED.values() if (machine, name) in found] for machine in machines}
