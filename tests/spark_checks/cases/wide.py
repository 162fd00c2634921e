"""Random traffic of a lawful queue manager that uses much of it (tests.spark_checks.wide_traffic): no findings."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from oracle.mqi.profile import PlatformName
from tests.spark_checks.cases import case
from tests.spark_checks.histories import History
from tests.spark_checks.wide_traffic import WideTraffic

_HISTORIES: Final = 6
_PLATFORMS: Final[tuple[tuple[str, PlatformName], ...]] = (("complete", "distributed"), ("zos", "zos"))


def _writer(platform: PlatformName, number: int, *, whole: bool) -> Callable[[History], None]:
    def write(h: History) -> None:
        chance = Random(write.__name__)
        traffic = WideTraffic(chance, platform, aside=True, qmgr=h.qmgr)
        traffic.run(60, 3)
        records = traffic.log()
        begin = 0 if whole else sorted(record["end_us"] for record in records)[len(records) // 3]
        h.records += traffic.definitions(from_the_beginning=whole)
        h.records += [record for record in records if record["end_us"] > begin]

    write.__name__ = f"wide_traffic_{'whole' if whole else 'from_the_middle'}_{platform}_{number}"
    return write


for _log, _platform in _PLATFORMS:
    for _number in range(_HISTORIES):
        case(log=_log)(_writer(_platform, _number, whole=_number % 2 == 0))
