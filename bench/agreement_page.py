"""Writer of `docs/audit-agreement.md`: the audit's findings in all small histories, beside the oracle's.

python -m bench.agreement_page            # writes it; a minute or two
python -m bench.agreement_page --check    # fails if it is out of date
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from bench.pages import page_command
from fixtures.agreement.alphabets import ALPHABETS, LONGER, Symbol
from fixtures.agreement.families import FAMILIES, family_of
from fixtures.agreement.histories import History
from fixtures.agreement.longer import CALLS as LENGTHS
from fixtures.agreement.longer import ends_open, longer_histories
from fixtures.agreement.search import Search
from fixtures.agreement.verdicts import Judged, judge, small_histories
from oracle.rules import catalogue
from spark_checks.engines.choosing import LOCAL, choose, started
from spark_checks.frames import Engine

PAGE = Path(__file__).parents[1] / "docs" / "audit-agreement.md"
CALLS = 3
"""The number of calls up to which all histories are judged."""
REFUTED, EXPLAINED = 6_000, 3_000
"""The numbers of longer histories that are judged."""
_IN_ORDER, _COARSE, _OPEN = "calls in order", "calls of one connection overlap", "a unit or lock stays open"
"""The kinds of longer histories, the last one taken before the others."""

_HEAD = f"""# The audit and the oracle on small histories

The audit says *violation* only of what no order of the calls explains. To hold it to that, every small history is
judged twice: by the audit, as one log of thousands of queue managers, and by a search over all orders of its calls with
the oracle. A history is explained if in one order every call conforms; an application may also die after its last call.

The histories are all those of up to {CALLS} calls of two connections on one queue that begins empty, with every way in
which the calls' intervals can lie to each other, touching ones included, in which no message is put twice and some call
looks for a message. Histories that differ in the connections' names only count once. They are made of these calls, in
four alphabets; `m` and `n` are messages of one priority, `u` has a higher one. `fixtures/agreement/` has the code; this
page is written by `python -m bench.agreement_page`, and `tox -e agreement` checks it.

Where calls do not overlap, the oracle follows them in the audit too, so these histories say little of the checks where
others are between them. So random longer histories are judged by the checks alone.
"""

_LONGER = f"""## Longer histories, by the checks alone

Random histories of {LENGTHS[0]} to {LENGTHS[1]} calls. In a third of them no call overlaps another, and in a third
calls of different connections do; in the last third clocks tick so slowly that calls of one connection overlap as well,
and only their numbers tell their order. Up to one call of those that are refuted all conform; that one returns nothing,
or a message that was put before. Where a lock, or a unit of work that got something, is still open at the history's
end, little is said of it: its application may have died after its last call. Messages whose names begin with `c` have
one CorrelId, `cu` has a higher priority; `g1` and `g2` are a group, `s1` and `s2` the segments of `s`. Where a get asks
for whole messages, no single segment counts as surely there: such a get may hold it without naming it.
"""


def judged() -> tuple[list[Judged], list[Judged]]:
    """Return the judgements of audit and oracle on all small histories, and of the checks alone on longer ones."""
    with tempfile.TemporaryDirectory(prefix="agreement-") as room, started(choose(LOCAL, None, 0)) as engine:
        log = Path(room) / "log.jsonl"
        return judge(engine, small_histories(CALLS), log), judged_by_checks(engine, REFUTED, EXPLAINED, log)


def judged_by_checks(engine: Engine, refuted: int, explained: int, log: Path) -> list[Judged]:
    """Return the judgements of the checks alone on longer histories that the oracle refutes, and explains."""
    search = Search()
    found = [
        *longer_histories(1, refuted, wrong=True, search=search),
        *longer_histories(2, explained, wrong=False, search=search),
    ]
    return judge(engine, found, log, replay_limit=0)


def page(found: Sequence[Judged], longer: Sequence[Judged]) -> str:
    """Return the page of the judgements."""
    parts = [_HEAD, *_alphabets(ALPHABETS), "", *_counts(found), "", *_families(found), "", *_rules(found), ""]
    return "\n".join([*parts, _LONGER, *_alphabets(LONGER), "", *_of_longer(longer), ""])


def _alphabets(alphabets: Mapping[str, Sequence[Symbol]]) -> Iterator[str]:
    yield from ("| alphabet | calls |", "| --- | --- |")
    for name, symbols in alphabets.items():
        yield f"| {name} | {', '.join(symbol.text for symbol in symbols)} |"


def _of_longer(found: Sequence[Judged]) -> Iterator[str]:
    yield "| alphabet | of which | explained | of them accused | refuted | of them found | not found | for example |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |"
    kinds: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    for one in found:
        kinds[one.alphabet, _kind(one.history)].append(one)
    for alphabet, kind in product(LONGER, (_IN_ORDER, _COARSE, _OPEN)):
        if members := kinds[alphabet, kind]:
            missed = [str(one.history) for one in members if not one.explained and not one.violated]
            example = f"`{min(missed, key=len)}`" if missed else ""
            yield f"| {alphabet} | {kind} | {' | '.join(f'{n:,}' for n in _numbers(members)[1:])} | {example} |"


def _kind(history: History) -> str:
    return _OPEN if ends_open(history) else _COARSE if history.coarse else _IN_ORDER


def _counts(found: Sequence[Judged]) -> Iterator[str]:
    yield from ("## What came out", "")
    yield "| alphabet | calls | histories | explained | of them accused | refuted | of them found | not found |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    groups: dict[tuple[str, int], list[Judged]] = defaultdict(list)
    for each in found:
        groups[each.alphabet, len(each.history.calls)].append(each)
    for (alphabet, calls), members in groups.items():
        yield _row(alphabet, f"{calls}", members)
    yield _row("all", "", found)


def _row(alphabet: str, calls: str, members: Sequence[Judged]) -> str:
    return f"| {alphabet} | {calls} | {' | '.join(f'{number:,}' for number in _numbers(members))} |"


def _numbers(members: Sequence[Judged]) -> tuple[int, ...]:
    """Count histories: all, explained, accused among these, refuted, found and not found among these."""
    explained = [each for each in members if each.explained]
    refuted = [each for each in members if not each.explained]
    accused = sum(bool(each.violated) for each in explained)
    hit = sum(bool(each.violated) for each in refuted)
    return len(members), len(explained), accused, len(refuted), hit, len(refuted) - hit


def _families(found: Sequence[Judged]) -> Iterator[str]:
    yield from ("## What is not found", "")
    search = Search()
    members: dict[str, list[History]] = defaultdict(list)
    for each in found:
        if not each.explained and not each.violated:
            family = family_of(each.history, search)
            members["others" if family is None else family.name].append(each.history)
    if not members:
        yield "Nothing: every history that the oracle refutes is found."
        return
    yield from ("| family | histories | why | for example |", "| --- | ---: | --- | --- |")
    for family in FAMILIES:
        if family.name in members:
            of_family = members.pop(family.name)
            shortest = min(of_family, key=lambda history: len(history.calls))
            yield f"| {family.name} | {len(of_family):,} | {family.why} | `{shortest}` |"
    for name, others in members.items():
        yield f"| {name} | {len(others):,} | | `{others[0]}` |"


def _rules(found: Sequence[Judged]) -> Iterator[str]:
    yield from ("## By which rules", "", "| rule | about | histories |", "| --- | --- | ---: |")
    counts = Counter(rule for each in found for rule in each.violated)
    for rule, count in sorted(counts.items()):
        yield f"| {rule} | {catalogue.rule(rule).title} | {count:,} |"


if __name__ == "__main__":
    sys.exit(page_command(PAGE, lambda: page(*judged())))
