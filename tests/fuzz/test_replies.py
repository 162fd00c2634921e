"""The suite on targets whose replies are wrong here and there: a verdict, and each violation with its rule."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from conformance.checks.selection import all_checks
from conformance.running.runner import Runner
from conformance.running.worker import Options
from oracle.judging.verdicts import Verdict
from oracle.mqi.profile import PlatformName
from oracle.serve import Server
from tests.conformance.conftest import target_of
from tests.fuzz.bounds import tried
from tests.fuzz.damage import NUMBERS

CHECKS: Final = [check for check in all_checks() if check.kind == "scenario"]
PLATFORMS: Final[tuple[PlatformName, ...]] = ("distributed", "zos")
NUMBERS_IN_REPLIES: Final = (0, 1, 2, 3, 7, -1, 2002, 2019, 2033, 2079, 999_999_999, 2**31 - 1, -(2**31))
CHECKS_AT_ONCE: Final = 5


class Liar(Server):
    """The reference server, which changes a value of some replies."""

    def __init__(self, platform: PlatformName, random: Random, rate: float) -> None:
        super().__init__(platform)
        self._random, self._rate = random, rate

    def answer(self, line: str) -> dict[str, Any]:
        """Return the reply to a request, perhaps with another value."""
        reply = super().answer(line)
        told = json.loads(line)["op"] in ("call", "advance")
        return self._changed(json.loads(json.dumps(reply))) if told and self._random.random() < self._rate else reply

    def _changed(self, reply: dict[str, Any]) -> dict[str, Any]:
        places = [place for place in _places(reply) if place != (reply, "seq")]
        if places:
            members, name = self._random.choice(places)
            if self._random.random() < 0.1:
                del members[name]
            else:
                members[name] = self._other(members[name])
        return reply

    def _other(self, value: Any) -> Any:
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return self._random.choice((*NUMBERS_IN_REPLIES, value + 1, value - 1))
        if isinstance(value, str):
            return self._random.choice((value[:-2], f"{value}00", "0" * len(value), f"ff{value[2:]}"))
        return self._random.choice(([], value + value)) if isinstance(value, list) else value


def _places(value: Any) -> list[tuple[dict[str, Any], str]]:
    """Return where values stand in a reply, also in its structures and in what has completed."""
    found: list[tuple[dict[str, Any], str]] = []
    if isinstance(value, dict):
        found += [(value, name) for name in value]
        found += [place for each in value.values() for place in _places(each)]
    elif isinstance(value, list):
        found += [place for each in value for place in _places(each)]
    return found


@tried(0.05)
@given(number=NUMBERS, platform=st.sampled_from(PLATFORMS), rate=st.sampled_from((0.02, 0.1, 0.3)))
def test_a_wrong_reply_leads_to_a_verdict_with_a_rule(number: int, platform: PlatformName, rate: float) -> None:
    random = Random(number)
    checks = random.sample(CHECKS, CHECKS_AT_ONCE)
    finished = Runner(target_of(lambda: Liar(platform, random, rate)), Options()).run(checks)
    assert len(finished.results) == len(checks)
    for result in finished.results:
        if result.verdict is Verdict.VIOLATES:
            assert result.counterexample is not None
            assert result.counterexample.departure.rules
