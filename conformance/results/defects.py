"""Departures gathered into defects.

Each defect is reported once, under one heading. Departures are one defect if they depart in the same way by the rule
that explains them best: the verb, the reason, member or message, and the first of the broken rules are the same. A rule
that two departures merely share does not join them, because most departures have many rules. If one subject departs by
as many rules as `_MANY`, the subject makes the defect, and not each of the rules: an implementation that never checks
for excluded options has one defect, and breaks forty rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.results.document import CheckSeen, CounterexampleSeen, SubjectSeen
from conformance.sessions.subjects import MESSAGE, REASON, WAIT
from oracle.rules import catalogue

_MANY = 5
_ENDS_OF_UNITS = ("MQBACK", "MQCMIT", "MQDISC", "fail")
_ALIKE = {"MQPUT1": "MQPUT"}
"""Verbs that most likely share their defects."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A departure, and the check that it is from."""

    check: CheckSeen
    """The check."""
    found: CounterexampleSeen
    """The departure, with the calls that show it."""

    @property
    def own(self) -> tuple[str, ...]:
        """The broken rules that the check is about; a search is about none in particular."""
        about = self.check.rules if self.check.kind == "scenario" else ()
        said = () if self.found.subject is None else (self.found.subject.rule, *self.found.subject.said)
        return tuple(rule for rule in self.found.rules if rule in about and (not said or rule in said))

    @property
    def rule(self) -> str:
        """The rule that explains the departure best."""
        return rule_of(self.found)

    @property
    def size(self) -> tuple[int, int]:
        """The amount of text to read."""
        return len(self.found.requests), sum(map(len, self.found.calls))


@dataclass(frozen=True, slots=True)
class Defect:
    """A subject that departs, and the rule that explains it best."""

    rule: str
    """The rule."""
    shown: Shown
    """The shortest departure that shows it."""
    others: dict[str, Shown]
    """The shortest departures by other rules that checks are about, by rule."""
    also: tuple[str, ...]
    """The checks that found it besides the one shown."""
    by_many: int = 0
    """The number of rules that explain it, if the subject makes the defect."""

    @property
    def found(self) -> CounterexampleSeen:
        """The shortest counterexample."""
        return self.shown.found

    @property
    def check(self) -> str:
        """The check that the shortest counterexample is from."""
        return self.shown.check.id

    @property
    def checks(self) -> int:
        """The number of checks that found it."""
        return 1 + len(self.also)

    @property
    def what(self) -> str:
        """The departure, in a sentence."""
        subject = self.found.subject
        return self.found.way if subject is None else subject.text

    @property
    def title(self) -> str:
        """The title of the rule and, if the subject makes the defect, the number of rules."""
        others = f", and {self.by_many - 1} more rules" if self.by_many else ""
        return f"{catalogue.rule(self.rule).title}{others}"


def rule_of(found: CounterexampleSeen) -> str:
    """Return the rule that explains a departure best, whatever its check is about."""
    return found.rules[0] if found.subject is None or not found.subject.rule else found.subject.rule


def defects_of(checks: Iterable[CheckSeen], *, excused: bool = False) -> tuple[Defect, ...]:
    """Gather the departures of checks into defects, those found by most checks first.

    They are the new departures or, with `excused`, the known ones.
    """
    by_subject: dict[tuple[str, ...], list[Shown]] = {}
    for check in checks:
        for found in departures_of(check, excused=excused):
            by_subject.setdefault(_key(found), []).append(Shown(check, found))
    defects = [defect for alike in by_subject.values() for defect in _told_apart(alike)]
    return tuple(sorted(defects, key=lambda defect: (-defect.checks, defect.rule)))


def departures_of(check: CheckSeen, *, excused: bool = False) -> Iterator[CounterexampleSeen]:
    """Yield the new or the known departures of a check; one that breaks no rule is not a defect.

    Older documents have only one of several departures.
    """
    every = [(each.counterexample, each.excused) for each in check.departures]
    if not every and check.counterexample is not None:
        every = [(check.counterexample, check.excused)]
    for found, known in every:
        if known == excused and found.rules:
            yield found


def _key(found: CounterexampleSeen) -> tuple[str, ...]:
    """Return the key that departures of one defect share."""
    subject = found.subject
    if subject is None:
        return (found.way,)
    return (_ALIKE.get(subject.verb, subject.verb), subject.what, _shape(subject), _cause(subject))


def _shape(subject: SubjectSeen) -> str:
    """Return the values of the subject that make another defect: none for members, which vary from call to call."""
    if subject.what == REASON:
        return subject.allowed if subject.allowed.startswith("FAILED") else subject.observed
    if subject.what == MESSAGE:  # another message may be missed next time
        return subject.observed if _cause(subject) else ""
    return subject.observed if subject.what == WAIT else ""


def _cause(subject: SubjectSeen) -> str:
    """Return the call that ended a unit of work, if that is why a message is there or missing."""
    return subject.cause if subject.cause in _ENDS_OF_UNITS else ""


def _plain(alike: Sequence[Shown]) -> dict[str, Shown]:
    """Return, by rule, the shortest departure of a check that is about the rule that explains it best.

    A departure that a shorter one of them explains is left out, because it is a special case.
    """
    plain: dict[str, Shown] = {}
    for shown in sorted(alike, key=_order):
        if shown.rule in shown.own:
            plain.setdefault(shown.rule, shown)
    return {rule: shown for rule, shown in plain.items() if _explained_by(shown, plain) == rule}


def _explained_by(shown: Shown, plain: Mapping[str, Shown]) -> str:
    """Return the rule that explains a departure: a general one, if its own check also departs with fewer calls.

    The special case then adds nothing. If the check of the general rule conforms, the special case is the defect
    itself.
    """
    subject = shown.found.subject
    said = () if subject is None else subject.said
    general = [plain[rule] for rule in said if rule in plain and rule != shown.rule and plain[rule].size < shown.size]
    return min(general, key=lambda each: each.size).rule if general else shown.rule


def _told_apart(alike: Sequence[Shown]) -> list[Defect]:
    """Separate departures by the rule that explains each best, unless there are many such rules for one subject."""
    subject = alike[0].found.subject
    plain = _plain(alike)
    by_rule: dict[str, list[Shown]] = {}
    for shown in alike:
        by_rule.setdefault(_explained_by(shown, plain), []).append(shown)
    if subject is None or subject.what in (MESSAGE, WAIT) or len(by_rule) < _MANY:
        return [_defect(rule, group) for rule, group in by_rule.items()]
    most = min(by_rule, key=lambda rule: (-len(by_rule[rule]), rule))
    return [_defect(most, alike, by_many=len(by_rule))]


def _defect(rule: str, group: Sequence[Shown], by_many: int = 0) -> Defect:
    shown = min((each for each in group if each.rule == rule), key=_order)
    others: dict[str, Shown] = {}
    for each in sorted(group, key=_order):
        for other in (each.rule, *each.own):
            if other != rule:
                others.setdefault(other, each)
    also = tuple(dict.fromkeys(each.check.id for each in group if each.check.id != shown.check.id))
    return Defect(rule, shown, others, also, by_many)


def _order(shown: Shown) -> tuple[bool, tuple[int, int], str]:
    """Return the order in which departures are shown: first those whose check is about the first broken rule."""
    return shown.rule not in shown.own, shown.size, shown.check.id
