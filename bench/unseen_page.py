"""Writer of `docs/sensitivity-unseen.md`: the share of wrong queue managers that the suite caught unseen.

    python -m bench.unseen_page           # writes the page
    python -m bench.unseen_page --check   # exits with 1 if the page is out of date

`docs/sensitivity-unseen.json` was measured once, before the suite was extended by what it had missed, and cannot be
measured again. Beside it the page has the present results of `docs/sensitivity.json`.
"""

from __future__ import annotations

import json
import sys
from itertools import chain
from pathlib import Path
from typing import Any, Final

from bench.pages import page_command, table
from fixtures.miniatures import MINIATURES

DOCS: Final = Path(__file__).parents[1] / "docs"
PAGE, BEFORE, NOW = DOCS / "sensitivity-unseen.md", DOCS / "sensitivity-unseen.json", DOCS / "sensitivity.json"

_HEAD: Final = """# How sharp the suite was on what it had not seen

Written by `python -m bench.unseen_page`. [sensitivity.md](sensitivity.md) tells what the suite surely finds: whatever
it missed has been given a check. This page tells what it found before that.

{all} wrong queue managers were written from the documents alone, before anybody looked at which checks would catch
them, and each with a history that proves it wrong. {meeting} of them are wrong about two features that meet. They are
subtle on purpose: a corner of one rule, or one condition of several. Then the suite was measured as it was, by its
scenarios, examples of rules and tables, with the quick budget and without the state machines: it caught {caught}, which
is {share} in 100; of those about two features {caught_meeting}, which is {share_meeting} in 100, and of the others
{caught_other}, which is {share_other} in 100. That was its sharpness on defects of this kind. Then it was extended: by
tables in which features meet (`conformance/checks/meetings/`), and by a case for each condition that one of these
breaks. So what it finds of them now says no more than that.

After that {second} more were written likewise, about rules that none had broken before. Of these it caught
{caught_second}, which is {share_second} in 100, by the checks that decide the rules which they break alone, with the
quick budget; others, and greater budgets, were not tried. Each has been given its case since.

Then the areas that were left were taken apart. {third} more were written, {third_meeting} of them about two features
that meet. The quick budget, without the state machines, caught {third_caught} of them by a rule that they break, and
showed {third_shown} more to be wrong by another rule; together that is {third_share} in 100, and a little too low, as
three were put to the checks of their rules alone. The standard budget, by
the checks of the rules that they break and with the state machines, caught {third_standard} more. The tables were
extended by how a message is got, of what it was put together, how its queue came to be, how a connection ends, what is
split, and the edges of ranges. {fourth} more were written before anybody looked at what that would catch,
{fourth_meeting} of them about two features: caught by a rule that they break {fourth_caught}, shown to be wrong by
another {fourth_shown}, together {fourth_share} in 100; the standard budget caught {fourth_standard} more, as before.
The last {fifth} are about rules that none had broken: {fifth_caught} were caught, which is {fifth_share} in 100, by the
checks that decide these rules. Each of them all has its case now.

{sixth} more came after that, {sixth_meeting} of them about two features. The quick budget, without the state machines,
caught {sixth_caught} of them by a rule that they break, and showed {sixth_shown} more to be wrong by another rule;
together that is {sixth_share} in 100. Each has its case now.

{seventh} more, {seventh_meeting} of them about two features, were written likewise: about waits, aliases, cursors, a
quiescing queue manager and others. Of these {seventh_caught} were caught, which is {seventh_share} in 100. And
{eighth} more, {eighth_meeting} of them about two features, took what authors of emulators forget: an index, a table of
waiting calls, a commit that something else implies, an alias in between. Of these {eighth_caught} were caught, which is
{eighth_share} in 100. Both batches were put to the checks that decide the rules which they break alone, with the quick
budget; what other checks and greater budgets would have shown was not counted. Each has its case now.

The share that was to be expected of defects as subtle as these was that of these two batches, far from 95 in 100: each
of them found kinds of gaps that none before had found.

Most of what they missed is wrong only while something else is so: where an alias is used, while a call waits, beside a
message that is locked. So such ones are made by machine now (`python -m bench.circumstances --measure`): a change of
the model's source, drawn by chance, that holds only where a condition holds, drawn too. {conditional} of them were
drawn with a seed that was used for nothing else. {shown} are shown to be wrong by some history that was tried; the
others are lawful, or the same for whoever sees replies, or beyond those histories. The scenarios, examples and tables
of the quick budget notice {suite} of these {shown}, which is {suite_share} in 100. With the histories under
circumstances that the quick budget plays, chosen by mutants of another seed, it notices {with_chosen}, which is
{with_chosen_share} in 100.

{ninth} more, {ninth_meeting} of them about two features and eight about z/OS, were written from the documents alone
after that. They were put to all checks but the state machines, with the tables and the histories under circumstances.
The quick budget caught {ninth_caught} of them by a rule that they break, and showed {ninth_shown} more to be wrong by
another rule; together that is {ninth_share} in 100. The standard budget caught {ninth_standard} more by a rule that it
breaks, and showed {ninth_standard_shown} more to be wrong by another, so that {ninth_share_of_both} in 100 were
noticed. Of the eight about z/OS {ninth_zos} were: its tables were fewest. The others that were missed needed a state
that no table had, such as a handle that gets one group and puts another in one unit of work, or two that the quick
budget never joined. Each has its case now. This is the share to be expected of such defects.

All of these are changes of the project's own model. So a queue manager was written from the documents by somebody who
had not looked at the model or the suite, and 40 wrong variants of it, nine of them about z/OS, each with a history that
shows it wrong. The quick budget caught 25 of a first 25 and 12 of 15 that were to be subtler, together 92 in 100. (That
queue manager is no part of the project. What the suite wrongly accused it of is AMB-82 and AMB-86 to AMB-103 in
[document-defects.md](document-defects.md).)

77 more variants of it were written after that by somebody else, who had looked at the model and the suite as little:
20 of them about z/OS, and 54 about two features that meet. One of them does what SEG-08 permits. Of the other 76 the
quick budget, with the state machines, caught 62 by a rule about what is wrong, and showed three more to be wrong by a
rule about something else; together that is 86 in 100. Of the 20 about z/OS it noticed 15. The standard budget of that
version was tried on six of the eleven that were missed. It noticed three, one of them by a rule about something else,
so that standard noticed at least 68 of 76, which is 89 in 100. (On z/OS that version ended in an error of the model,
which was mended before the measurement.) {tenth} miniatures make mistakes of the kinds that were missed or misnamed,
and each has its case now.

27 more were written when these had their cases, 8 of them about z/OS and 21 about two features that meet, by somebody
who had seen parts of the model and of the suite by then. The quick budget noticed 24 of them, which is 89 in 100, all
but one by a rule about what is wrong; of those about z/OS 6. {eleventh} miniatures make the mistakes that it missed,
and each has its case now.

40 more were written after that, 12 of them about z/OS, from the documents and that queue manager alone, before
anything of the suite was read; those that repeated an earlier one were replaced. Two of them show nothing but what
RPY-05 and ZOS-03 leave open, as the suite reads the documents. Of the other 38, 28 are about two features that meet,
and 11 about z/OS. The quick budget, with the state machines, caught 23 by a rule that they break, and showed nine
more to be wrong by another rule; together that is 84 in 100: 25 of the 27 that are wrong elsewhere, and 7 of the 11
about z/OS. The standard budget, tried on the six that were missed, noticed four of them, each by a rule about
something else. So 36 of 38 were noticed, which is 95 in 100: all 27, and 9 of the 11 about z/OS. (With the two that
are left open it is 80 and 90 in 100 of 40.) {twelfth} miniatures make mistakes of the kinds of these six, and of
three that a state machine alone had found, and each has its case now.

40 more were written from the documents and the source of two queue managers that others had written from them. Of the
suite nothing was read before but the results of these two as they were. 18 are variants of the one for Multiplatforms,
22 of the one for z/OS. None was dropped or replaced. The quick budget, with the state machines, noticed 32, which is 80
in 100: 14 of 18, and 18 of 22. The first heading was by a rule that had been written down as broken for 17, and by
another rule for 15. (28 of the runs stopped at their first violation, so that others may have followed.) The standard
budget was tried on the eight that were missed, on two by the checks of their areas alone: it noticed five, two of them
by a rule that they break, so that 37 of 40 were noticed, which is 92 in 100.
The queue managers as they were had been accused wrongly of the order of reports that come from several queues (AMB-98),
and of MQMO_MATCH_OFFSET under the cursor (MTC-15). {thirteenth} miniatures make the mistakes that the quick budget
missed, and each has its case now. One of them had been missed because the quick budget went round the ways of all
places of a table in step, which it no longer does.

40 more are variants of a seventh queue manager, which was written from the documents alone and keeps its messages in
a relational database: 20 as on Multiplatforms and 20 as on z/OS, most of them about two features that meet. They were
written before anything of the suite was read, and each was shown to answer otherwise by a history of its own. The
quick budget, with the state machines, noticed 31, which is 78 in 100: 18 of 20, and 13 of 20. The first heading was by
a rule, or of the area, that had been written down for 12, and by another for 19. (Only the checks in which the variant
answered otherwise than the plain one were judged, at most five of them, up to the first violation.) Of the nine that
were missed the standard budget noticed at least one, by a rule that it breaks; two of them were put to the tables about
locks, marks and selection and the state machines alone, and one shows nothing but what ZOS-03 leaves open.
The queue manager as it was had been accused wrongly of two kinds of calls: a get that a unit of work cannot have and
whose buffer is too small (AMB-114), and a group with a stray segment that arrived before the whole message of its
number (AMB-81). Three of the nine had been missed because nearly all scenarios and tables about groups were for
Multiplatforms only; 348 scenarios and seven tables are now played on z/OS as well. {fourteenth} miniatures make the
mistakes that were missed, or that a state machine or a history under circumstances alone had found, or that one of
another 18 makes; each has its case now.

50 more are variants of the same queue manager, 27 of them as on z/OS, nearly all about two features that meet. They
were written before anything of the suite was read, each with a history that shows it wrong. Two of them show nothing
but what RPY-06 and the conditions for a trigger event leave open. Of the other 48 the quick budget, with the state
machines, noticed 36, which is 75 in 100: 20 of the 27 about z/OS, and 16 of 21. (What the variant answered otherwise
than the plain one in a whole run was judged, at most eight checks of it.) The first heading was by a rule, or of the
area, that had been written down for 24, and by another for 12. The twelve that were missed were put to the whole
standard budget. It noticed two, both by a rule that they break, so that 38 of 48 were noticed, which is 79 in 100,
but none of the seven about z/OS. These were about how a signal selects and what its call has passed, how a queue with
an index selects, and scans of dynamic queues; the others about a queue that is made again under its name, and about
what one handle of a connection has that another has not.
The queue manager as it was had been accused wrongly of three kinds of calls, with the standard budget on z/OS:
segments that have expired behind the first one (AMB-115), a group whose last segment alone says that it is the last
(AMB-116), and an expired message that a backout shows to an outstanding signal (AMB-117). One of the seven
had been missed because the model let a signal keep the lock of its handle, which LCK-09 forbids. {fifteenth}
miniatures make the mistakes that were missed, and each has its case now.

28 more are variants of the same queue manager, 16 of them as on z/OS, by another author. They too were written before
anything of the suite was read, each with a history that shows it wrong. One shows nothing but what PRI-02 leaves open.
Of the other 27 the quick budget, with the state machines as they were, noticed 21, which is 78 in 100: 13 of the 16
about z/OS, and 8 of 11. The first heading was by a rule, or of the area, that had been written down for 12, and by
another for 9. The standard budget was not measured. The queue manager as it was was accused of nothing with the quick
budget. {sixteenth} miniatures make the mistakes that were missed, and each has its case now.

40 more are variants of the same queue manager, 20 of them as on z/OS, by an author who had not looked at the suite
either, each with a history that shows it wrong. The quick budget, with the state machines, noticed 30, which is 75 in
100: 15 of 20 about z/OS, and 15 of the other 20. The first heading was by a rule, or of the area, that had been written
down for 26, and by another for four. The ten that were missed were put to the whole standard budget. It noticed four,
three of them in a state machine alone, and three by a rule or of an area that had been written down. So 34 of 40 were
noticed, which is 85 in 100: 17 and 17. (The last part of one state machine on z/OS did not end, and was left out.)
These were about what a signal request must leave alone, several signals for one message, intervals below a tenth of a
second, puts that fail between the messages of a group, limits that a waiting get reaches, the other byte order in a
header, and expiration reports that cannot be put. {seventeenth} miniatures make the mistakes of the ten, and each has
its case now.

30 more were not chosen by their author, but by chance: rules were drawn from the catalogue, and each got one wrong
variant, 15 of them as on z/OS, unless the queue manager does not do what it is about or no subtle mistake in it was
left. The suite was the one that the 40 before were put to. The quick budget noticed 28, which is 93 in 100, and the
standard budget one of the other two: 29, or 97 in 100. The first heading was by a rule, or of the area, that had been
written down for 14, and by another for 15. The two that quick missed, a browse that accepts to be given no byte at
all and a version 1 descriptor under the cursor, have a case now.

Mistakes by chance show what authors do not think of: 254 mutants of the queue manager's program, each with one
comparison, condition, number or statement changed, were put to all that the quick budget asks, 50 of them as on z/OS.
46 changed nothing that the documents forbid. Of the other 208 the replies of 197 differed, 95 in 100. The rest were
about pieces of equal length, remote queues without a transmission queue, attributes of aliases, initiation queues
that change, the moment at which a message expires, and undefined options; all but one have a case now.

40 more are variants of that queue manager by another author, 20 of them as on z/OS, written before anything of the
suite was read, each with a history that shows it wrong. The quick budget, with the state machines, noticed 34, which is
85 in 100: 17 of 20 about z/OS, and 17 of the other 20, one of these in a state machine alone. The first heading was by
a rule, or of the area, that had been written down for 16, and by another for 18. Of a standard run that had been
recorded, the six that were missed played what their mistakes can bear on. It showed one to be wrong, in a state
machine and by another rule. So 35 of 40 were noticed, which is 88 in 100: 18 and 17. The six were about an option of
MQOPEN that its handle kept for later calls, a group whose message has skipped a backout after which more had been got,
a scan that empties a queue that triggers, pieces that count as one, a wait that another is served before, and reports
for another queue manager. {eighteenth} miniatures make these mistakes, and each has its case now. A table that they
led to showed the false alarm about such reports that AMB-121 is about.

40 more are variants of that queue manager by a third author, 20 of them as on z/OS, written in the same way. The quick
budget, with the state machines, noticed 37, which is 92 in 100: all 20 about z/OS, and 17 of the other 20. A state
machine alone noticed five of them. The first heading was by a rule, or of the area, that had been written down for 29,
and by another for 8. A standard run gave the other three no call that they answer otherwise. They were about the data
of a report after a get with a version 1 MQMD, a report for a dynamic queue that had been deleted, and the context that
an alternate user sets. Miniatures make these {nineteenth} mistakes, and others the five that only a state machine had
noticed. Each has its case now.

63 more are variants of that queue manager by a fourth author, 30 of them as on z/OS, written in the same way. The quick
budget noticed 52, which is 83 in 100: 25 of the 30 about z/OS, and 27 of the other 33, all of them without a state
machine. The first heading was by a rule, or of the area, that had been written down for 43, and by another for 9; with
the explanations that they led to it is 48. Of the other eleven, two were about the report of a message that a scan
discards, and three about triggers: a commit while gets are inhibited, the interval of one of two queues, and the data
of a second trigger message. The rest were a second browse by an index, a report on delivery of a message that skips a
backout, a default of persistence that changes within a group, a ReplyToQ with a named queue manager, a get that fails
within a group for want of room in its unit of work, and the unmarking of one of two messages. A standard run noticed
the last two, in a state machine alone; it was made for Multiplatforms only. Miniatures make {twentieth} of these
mistakes, and each has its case now.

60 more are variants of the project's own model again, half of them as on z/OS and 44 about two features that meet. They
were written from the documents and the source of the model, before any check, example or other wrong queue manager was
looked at, each with a history that shows it wrong; none was dropped or replaced. The quick budget, with the state
machines, noticed 53, which is 88 in 100: 26 of the 30 about z/OS, and 27 of the other 30. A state machine alone noticed
seven of them. The first heading was by a rule that had been written down for 27, by another of its area for 14, and by
another for 12. (At most eight of the checks that noticed a variant were judged.) The seven that were missed were about
the next member of a group that expires when its turn has come, a browse that waits and ends with 2080, marks beside a
message that expires, what BROWSE_NEXT locks of a whole message, flags that a get passes under the cursor, the number of
the message before as a match within a group, and an open for exclusive input beside a lock. The standard budget was
tried on the first two of these. It noticed one, by a rule that it breaks. {twentyfirst} miniatures
make these mistakes and those that only a state machine had noticed, and each has its case now. Explanations go by more
of what a reply shows since then, and a history that is made shorter keeps its heading.

25 more were written after that by the same author, who had seen the tables by then; 11 of them are about z/OS. The
quick budget noticed 23, which is 92 in 100, one of them in a state machine alone. The first heading was by a rule, or
of the area, that had been written down for 19, and by another for four. {twentysecond} miniatures make the mistakes of
the two and of that one, and each has its case now.

"""

_LATER: Final = (
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "twentyfirst",
    "twentysecond",
)
"""The later batches, as the file of measurements names them."""
_COLUMNS: Final = ("wrong queue manager", "what is wrong", "two features", "caught before", "caught now")


def page() -> str:
    """Return the text of the page."""
    measured = json.loads(BEFORE.read_text(encoding="utf-8"))
    now = _by_name(json.loads(NOW.read_text(encoding="utf-8"))["miniatures"])
    before, second = _by_name(measured["first"]), _by_name(measured["second"])
    meeting = {name for name in before if MINIATURES[name].meets is not None}
    caught, caught_second = _caught(before), _caught(second)
    conditional = measured["conditional"]
    later = {name: _by_name(measured[name]) for name in _LATER}
    head = _HEAD.format(
        all=len(before),
        meeting=len(meeting),
        caught=len(caught),
        share=_share(len(caught), len(before)),
        caught_meeting=len(caught & meeting),
        share_meeting=_share(len(caught & meeting), len(meeting)),
        caught_other=len(caught - meeting),
        share_other=_share(len(caught - meeting), len(before) - len(meeting)),
        second=len(second),
        caught_second=len(caught_second),
        share_second=_share(len(caught_second), len(second)),
        **conditional,
        suite_share=_share(conditional["suite"], conditional["shown"]),
        with_chosen_share=_share(conditional["with_chosen"], conditional["shown"]),
        **{key: value for name, rows in later.items() for key, value in _of_batch(name, rows).items()},
    )
    rows = chain.from_iterable(each.items() for each in (before, second, *later.values()))
    lines = table(_COLUMNS, (_cells(name, row, now.get(name, {})) for name, row in rows))
    return head + "\n".join(lines) + "\n"


def _of_batch(name: str, rows: dict[str, dict[str, Any]]) -> dict[str, int]:
    """Return the text on a later batch: `shown` are those that a check found wrong only by another rule."""
    caught, shown = _caught(rows), {each for each, row in rows.items() if not row["check"] and row.get("shown_by")}
    standard = {each for each, row in rows.items() if row.get("standard")}
    later = {each for each, row in rows.items() if row.get("standard_shown_by")}
    return {
        name: len(rows),
        f"{name}_meeting": sum(MINIATURES[each].meets is not None for each in rows),
        f"{name}_caught": len(caught),
        f"{name}_shown": len(shown),
        f"{name}_share": _share(len(caught) + len(shown), len(rows)),
        f"{name}_standard": sum(bool(row.get("standard")) for row in rows.values()),
        f"{name}_standard_shown": len(later),
        f"{name}_zos": sum(MINIATURES[each].platform == "zos" for each in caught | shown | standard | later),
        f"{name}_share_of_both": _share(len(caught) + len(shown | standard | later), len(rows)),
    }


def _by_name(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in rows}


def _caught(rows: dict[str, dict[str, Any]]) -> set[str]:
    return {name for name, row in rows.items() if row["check"]}


def _share(part: int, whole: int) -> int:
    return round(100 * part / whole)


def _cells(name: str, before: dict[str, Any], now: dict[str, Any]) -> tuple[str, ...]:
    each = MINIATURES[name]
    return f"`{name}`", each.wrong, " and ".join(each.meets or ()), _check(before), _check(now)


def _check(row: dict[str, Any]) -> str:
    if row.get("check"):
        return f"`{row['check']}`"
    return f"by another rule: `{row['shown_by']}`" if row.get("shown_by") else "no"


if __name__ == "__main__":
    sys.exit(page_command(PAGE, page))
