"""Checks made from the examples of rules (`oracle/rules/examples/*.yaml`): each example decides its rule.

An example has the calls before a rule shows, and two alternatives. A check plays it up to the conforming line and, if
the departing line is another call, up to that too; the oracle decides what the target must do. An example that a
scenario already plays is left out, and so is one that only signals show, which the protocol does not report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache, partial
from typing import Final

from conformance.checks.beyond_protocol import MISSING_REQUESTS
from conformance.checks.check import AT_THE_MQI, Check
from conformance.checks.features import details_of, features_of
from conformance.checks.on_zos import asks_for_groups, spelled_out, with_index
from conformance.checks.rig import Rig
from conformance.checks.scenarios import Scenario, scenarios
from conformance.sessions.session import History, Session, Setup
from oracle.examples.rule_examples import Example, examples, examples_of
from oracle.histories.notation import Line, parse
from oracle.mqi.constants import MQGMO, MQMF
from oracle.mqi.profile import PLATFORMS, PlatformName
from oracle.rules import catalogue

AREA: Final = "example"
"""The first part of the ids of these checks."""

_GROUPS: Final = MQMF.MSG_IN_GROUP | MQMF.LAST_MSG_IN_GROUP | MQMF.SEGMENT | MQMF.LAST_SEGMENT

AS_WRITTEN: Final = frozenset({"OPT-03", "OPT-36", "PUT-07", "SYN-06"})
"""Rules whose examples leave the syncpoint option out on purpose."""

NOT_ON: Final[dict[str, tuple[PlatformName, ...]]] = {
    "BRW-23": ("zos",),
    "LOG-04": ("zos",),
    "SIG-17": ("zos",),
    "XMQ-03": ("ibmi",),
    "XMQ-04": ("ibmi",),
}
"""Rules that hold on a platform although their example cannot show them there.

An index leaves the order open on z/OS (VIS-12), z/OS has signals, and the edition for IBM i does not check a message
with MQXQH (XMQ-06).
"""


@cache
def example_checks() -> tuple[Check, ...]:
    """Return the checks made of examples, in the order of the catalogue."""
    return tuple(check for check, _ in _checks())


def _checks() -> Iterator[tuple[Check, Example]]:
    played = _by_rule(scenarios())
    seen: Counter[str] = Counter()
    for example in examples():
        at_the_mqi = set(catalogue.rule(example.rule).observed_by).intersection(AT_THE_MQI)
        if not at_the_mqi or example.rule in MISSING_REQUESTS:
            continue
        seen[example.rule] += 1
        ways = histories(example)
        if not told_by_signals(example) and not any(_plays(each, ways) for each in played.get(example.rule, ())):
            yield _check(example, seen[example.rule], ways), example


def example_histories(platform: PlatformName) -> Iterator[tuple[Check, tuple[History, ...]]]:
    """Yield each check made from an example that is about a platform, and what it plays there."""
    for check, example in _checks():
        if platform in check.platforms:
            yield check, histories(example, platform)


def plays_example_of(rule: str) -> frozenset[str]:
    """Return the ids of the scenarios about a rule that play an example of it: the check would be the same."""
    mine = _by_rule(scenarios()).get(rule, ())
    return frozenset(each.id for example in examples_of(rule) for each in mine if _plays(each, histories(example)))


def _check(example: Example, number: int, ways: tuple[History, ...]) -> Check:
    rule = catalogue.rule(example.rule)
    needed = {feature for history in ways for feature in features_of(history, [rule.id])}
    return Check(
        f"{AREA}/{rule.id}" + (f"-{number}" if number > 1 else ""),
        rule.title,
        "scenario",
        partial(_perform, example),
        rules=(rule.id,),
        features=tuple(sorted(needed)),
        platforms=_platforms(example, rule),
        details=details_of(ways, [rule.id]),
    )


def _platforms(example: Example, rule: catalogue.Rule) -> tuple[PlatformName, ...]:
    """Return the platforms on which an example shows its rule: its own, or all of the rule's."""
    if example.platform != "distributed":
        return (example.platform,)
    return tuple(each for each in PLATFORMS if each in rule.platforms and each not in NOT_ON.get(rule.id, ()))


def histories(example: Example, platform: PlatformName = "distributed") -> tuple[History, ...]:
    """Return the histories of an example's check on a platform: up to `accepts`, and up to `rejects` if that differs.

    On z/OS a line without a syncpoint option gets the one that is the default elsewhere, and a queue of groups gets the
    index that it needs there.
    """
    setup = Setup(example.queues, example.qmgr)
    ways = (parse(f"{example.given.strip()}\n{last}", example.source) for last in (example.accepts, example.rejects))
    if platform == "zos" and example.platform != "zos":
        found = [_on_zos(History(setup, way), example.rule) for way in ways]
    else:
        found = [History(setup, way) for way in ways]
    accepted, rejected = found
    return (accepted,) if _calls(accepted) == _calls(rejected) else (accepted, rejected)


def told_by_signals(example: Example) -> bool:
    """Return whether an example says that a signal was or was not delivered, which no reply of a target shows."""
    lines = parse(f"{example.given.strip()}\n{example.accepts}\n{example.rejects}", example.source)
    signals = {line.name for line in lines if line.verb == "get" and line.options & MQGMO.SET_SIGNAL}
    told = (line.expected.ended for line in lines[-2:] if line.expected is not None)
    return any(name in signals for ended in told for name, _ in ended)


def _perform(example: Example, rig: Rig) -> Session | None:
    return rig.play_all(histories(example, rig.dialogue.hello.platform))


def _on_zos(history: History, rule: str) -> History:
    lines = history.lines if rule in AS_WRITTEN else tuple(spelled_out(line) for line in history.lines)
    return with_index(History(history.setup, lines), _needs_index)


def _needs_index(line: Line) -> bool:
    if asks_for_groups(line):
        return True
    flags = dict(line.members).get("MsgFlags", 0)
    return line.verb in ("put", "put1") and isinstance(flags, int) and bool(flags & _GROUPS)


def _by_rule(given: tuple[Scenario, ...]) -> dict[str, list[Scenario]]:
    found: dict[str, list[Scenario]] = {}
    for scenario in given:
        for rule in scenario.rules:
            found.setdefault(rule, []).append(scenario)
    return found


def _plays(scenario: Scenario, ways: tuple[History, ...]) -> bool:
    """Return whether a scenario begins with everything that an example does, on the same queue manager."""
    history = scenario.history()
    return set(scenario.platforms) == set(PLATFORMS) and all(
        history.setup == each.setup and _calls(history)[: len(each.lines)] == _calls(each) for each in ways
    )


def _calls(history: History) -> tuple[Line, ...]:
    return tuple(line.without_outcome() for line in history.lines)
