"""Writer of `oracle/data/bearing.yaml`: the rules whose examples reject a call by a single output.

    python -m bench.bearing

A test fails when the file is not what this writes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import oracle
from oracle.examples.rule_examples import Example, examples, play
from oracle.judging.compare import CODES
from oracle.mqi.calls import Get, Put, Put1, name_of
from oracle.text.yaml_files import write_yaml

TABLE: Final = Path(oracle.__file__).parent / "data" / "bearing.yaml"

_HEAD: Final = """\
# Which rules the examples (oracle/rules/examples) reject by an output of a call that has rules of its own, all else
# being as it must be. `python -m bench.bearing` writes this anew; oracle/judging/bearing.py says what it is for.
"""

_ANOTHER_MESSAGE: Final = {"MQMD.MsgId", "data"}
"""The outputs that differ together if another message came."""


def text() -> str:
    """Return the contents of the file."""
    found: dict[str, dict[str, set[str]]] = {}
    for example in examples():
        for verb, member in _shown_by(example):
            found.setdefault(verb, {}).setdefault(member, set()).add(example.rule)
    outputs = {verb: {name: sorted(rules[name]) for name in sorted(rules)} for verb, rules in sorted(found.items())}
    return _HEAD + write_yaml({"outputs": outputs})


def _shown_by(example: Example) -> Iterator[tuple[str, str]]:
    """Yield the outputs by which an example is rejected, if only outputs reject it."""
    departure = play(example).wrong_steps[-1].followed.departure
    if departure is None or not isinstance(departure.call, (Get, Put, Put1)):
        return
    members = {item.member for item in departure.differences}
    if CODES in members or members >= _ANOTHER_MESSAGE or any(" " in member for member in members):
        return
    verb = "MQPUT" if isinstance(departure.call, Put1) else name_of(departure.call)
    for item in departure.differences:
        if example.rule not in item.rules:
            yield verb, item.member


def main() -> int:
    """Write the file; return the exit status."""
    TABLE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
