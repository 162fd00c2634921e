"""Writer of `oracle/data/suspects.yaml`: the number of departures of the examples in which each rule may be broken.

    python -m bench.suspects

The numbers order the rules that a departure names (`oracle/judging/suspects.py`). They need not be exact: a test fails
when one of them is wrong by more than half and more than a few.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import oracle
from oracle.examples.rule_examples import examples, play

TABLE: Final = Path(oracle.__file__).parent / "data" / "suspects.yaml"

_HEAD: Final = """\
# In how many of the departures of the examples (oracle/rules/examples) each rule may have been broken, as `python -m
# bench.suspects` counts it. The fewer, the likelier is the rule where it may have been (oracle/judging/suspects.py).
departures:
"""


def counted(departures: Iterable[Iterable[str]]) -> Counter[str]:
    """Return in how many departures each rule may have been broken, given those of each."""
    return Counter(rule for rules in departures for rule in set(rules))


def main() -> int:
    """Write the file; return the exit status."""
    found = counted(play(example).broken for example in examples())
    lines = [f"  {rule}: {found[rule]}\n" for rule in sorted(found)]
    TABLE.write_text(_HEAD + "".join(lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
