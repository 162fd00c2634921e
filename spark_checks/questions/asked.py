"""The call whose outcome is asked for, with what the log shows around it, and the facts that explain it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from oracle.histories.event_log import Event, QueueHeader
from oracle.model.requests.option_matrix import broken_rules
from oracle.mqi.constants import MQRC
from oracle.rules import catalogue
from oracle.rules.catalogue import Rule
from oracle.rules.reason_rules import rules_of
from spark_checks.preparation.capture import PUTS
from spark_checks.preparation.facts import attributes_of
from spark_checks.questions.evidence import Evidence
from spark_checks.questions.handles import History
from spark_checks.questions.stock import Stock

MOST_TOLD: Final = 5


@dataclass(frozen=True)
class Point:
    """A fact that decided how a call ended."""

    sentence: str
    """The fact, without a full stop."""
    rules: tuple[str, ...] = ()
    """The rules behind it. Empty for a plain fact of the log."""


@dataclass(frozen=True)
class Asked:
    """A call to be explained, with what the log shows around it."""

    evidence: Evidence
    """The log."""
    event: Event
    """The call."""
    history: History
    """What its connection and its handle had done before."""
    stock: Stock | None
    """The messages that may have been on its queue. None if it has no queue."""

    def attribute(self, name: str) -> int | str | None:
        """Return an attribute of the call's queue, None if no header gives it."""
        found = None
        for header in self.evidence.headers:
            if isinstance(header, QueueHeader) and (header.qmgr, header.queue) == (self.event.qmgr, self.event.queue):
                found = attributes_of(header).get(name, found)
        return found


_VERBS: Final = re.compile(r"\bMQ(?:GET|PUT1?|OPEN|CLOSE|CMIT|BACK|INQ|SET|CONN|DISC)\b")


def by_rules(asked: Asked) -> Iterator[Point]:
    """Yield the rules that decide about the reason; without any, a note that no rule of the catalogue mentions it."""
    reason = asked.event.reason
    assert reason is not None  # asked before
    deciding = rules_of(reason).decide
    if not deciding:
        sentence = f"no rule of the catalogue covers {MQRC.describe(reason)}: it depends on what a log of calls lacks"
        yield Point(f"{sentence}, such as authorities, resources or the network")
    about = _about_options(asked.event) or [rule for rule in deciding if _speaks_of(rule, asked.event.call)]
    for rule in (about or deciding)[:MOST_TOLD]:
        yield Point(" ".join(rule.statement.split()), (rule.id,))


def _speaks_of(rule: Rule, call: str) -> bool:
    """Return whether a rule speaks of a call, or of no call by its name."""
    named = set(_VERBS.findall(rule.statement))
    return not named or not named.isdisjoint(PUTS if call in PUTS else (call,))


def _about_options(event: Event) -> list[Rule]:
    """Return the rules about options of MQGET that the options of a call break, if those were its failure."""
    if event.call != "MQGET" or event.reason != MQRC.OPTIONS_ERROR or event.options is None:
        return []
    return [catalogue.rule(name) for name in dict.fromkeys(broken_rules(event.options))]
