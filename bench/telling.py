"""Writer of `conformance/results/untelling.yaml`: the checks that have never failed by a rule that they are about.

    python -m bench.telling

Each miniature is tried with the checks of the rules that it breaks. A check is telling for a rule if it departs by that
rule on one of them; if it plays an example of the rule, which shows what the rule rejects; or if a call that must fail
is made to succeed, and that breaks this rule first of all. It takes about five minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import closing, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

import conformance
from conformance.checks.check import Check, blamed
from conformance.checks.examples import AREA, plays_example_of
from conformance.checks.rig import Rig
from conformance.checks.selection import all_checks
from conformance.sensitivity.miniatures import WrongOne, read_wrong_ones
from conformance.sessions.dialogue import Dialogue
from conformance.targets import InProcessTarget
from oracle.errors import MqOracleError
from oracle.mqi.constants import MQCC, MQRC
from oracle.mqi.profile import PlatformName
from oracle.serve import Server
from oracle.text.yaml_files import write_yaml

TABLE: Final = Path(conformance.__file__).parent / "results" / "untelling.yaml"
MINIATURES: Final = Path(conformance.__file__).parents[1] / "fixtures" / "miniatures"

_HEAD: Final = """\
# For each rule the checks about it that have not been seen to fail by it, though others have: no miniature that breaks
# the rule departs in them by it. `python -m bench.telling` writes this anew for conformance/results/telling.py.
"""


def checks_by_rule() -> dict[str, list[Check]]:
    """Return the checks that are about each rule."""
    found: dict[str, list[Check]] = {}
    for check in all_checks():
        for rule in check.rules:
            found.setdefault(rule, []).append(check)
    return found


def told(wrong_ones: Iterable[WrongOne], about: dict[str, list[Check]]) -> dict[str, set[str]]:
    """Return, for each rule, the checks that fail by it on any of these."""
    found: dict[str, set[str]] = {}
    for wrong in wrong_ones:
        with closing(wrong.target()) as target:
            dialogue = Dialogue(target)
            for rule in wrong.rules:
                for check in about.get(rule, ()):
                    if check.id not in found.get(rule, ()) and not check.inapplicable(dialogue.hello):
                        rules, dialogue = _blamed(check, dialogue)
                        if rule in rules:
                            found.setdefault(rule, set()).add(check.id)
    return found


class _Yielding(Server):
    """A target on which one of the calls that fail succeeds: the one with this number, from 0."""

    def __init__(self, platform: PlatformName, number: int) -> None:
        super().__init__(platform)
        self.left = number + 1

    def answer(self, line: str) -> dict[str, Any]:
        """Return the reply, or that the call succeeded."""
        reply = super().answer(line)
        self.left -= reply.get("CompCode") == MQCC.FAILED
        if reply.get("CompCode") != MQCC.FAILED or self.left:
            return reply
        self.left = -1
        return {**reply, "CompCode": int(MQCC.OK), "Reason": int(MQRC.NONE)}


def told_by_yielding(check: Check) -> set[str]:
    """Return the rules that are broken first when one call of a check succeeds that must fail."""
    platform: PlatformName = "distributed" if "distributed" in check.platforms else check.platforms[0]
    found: set[str] = set()
    for number in count():
        server = _Yielding(platform, number)
        rig = Rig(Dialogue(InProcessTarget("yielding", partial(_same, server))), rules=check.rules)
        with suppress(MqOracleError):
            check.perform(rig)
        rig.finish()
        if server.left > 0:
            return found
        found |= {sighting.departure.rules[0] for sighting in rig.met.values()}
    raise AssertionError("a check does not end")


def _same(server: Server) -> Server:
    return server


def _blamed(check: Check, dialogue: Dialogue) -> tuple[set[str], Dialogue]:
    """Return the rules that a check shows to be broken, and a dialogue to continue with."""
    rig = Rig(dialogue, rules=check.rules)
    try:
        check.perform(rig)
    except MqOracleError:
        dialogue = Dialogue(dialogue.target)
    rig.finish()
    return {rule for sighting in rig.met.values() for rule in blamed(check, sighting.departure)}, dialogue


def text(found: dict[str, set[str]], about: dict[str, list[Check]]) -> str:
    """Return the contents of the file, given the checks that were seen to fail."""
    left: dict[str, list[str]] = {}
    for rule in sorted(about):
        telling = found.get(rule, set()) | {check.id for check in about[rule] if _plays_an_example(check, rule)}
        others = sorted(check.id for check in about[rule] if check.id not in telling)
        if telling and others:
            left[rule] = others
    return _HEAD + write_yaml({"untelling": left})


def _plays_an_example(check: Check, rule: str) -> bool:
    return check.area == AREA or check.id in plays_example_of(rule)


def main() -> int:
    """Write the file; return the exit status."""
    about = checks_by_rule()
    found = told(read_wrong_ones(MINIATURES), about)
    for check in all_checks():
        for rule in set(check.rules) & (told_by_yielding(check) if check.rules else set()):
            found.setdefault(rule, set()).add(check.id)
    TABLE.write_text(text(found, about), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
