"""Writer of `docs/audit-sharpness.md`: the deliberately wrong queue managers that the audit finds by their logs.

python -m bench.audit_sharpness           # over ten minutes

Each miniature answers the requests that the suite's scenarios make of the model, in full, and then every queue is read
until nothing is left on it. A session that differs from the model's is recorded as a log and audited, once by the
checks alone and once with the oracle's replay.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final

from conformance.checks.check import Check
from conformance.checks.selection import all_checks
from conformance.reports.histories import event_log
from conformance.sensitivity.miniatures import Miniature, read_miniatures, sessions_of
from conformance.sensitivity.sharpness import Trace, Traces
from conformance.sessions.session import Setup
from oracle.histories.event_log import LogHeader, Record, to_line
from oracle.histories.recording import Interval
from oracle.mqi.calls import Advance
from oracle.mqi.constants import MQCC, MQGMO, MQOO
from oracle.mqi.profile import PlatformName
from oracle.protocol import ObservedReply, RequestError, parse_call, parse_reply
from oracle.serve import Server
from spark_checks.audit import audit
from spark_checks.engines.choosing import LOCAL, choose, started
from spark_checks.frames import Engine

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "audit-sharpness.md"
SENSITIVITY: Final = ROOT / "docs" / "sensitivity.json"
MINIATURES: Final = ROOT / "fixtures" / "miniatures"
PLATFORM: Final[PlatformName] = "distributed"
SESSIONS: Final = 6
"""The greatest number of sessions of a miniature that are recorded."""
TRIED: Final = 150
"""The number of scenarios that are tried with a miniature to find them."""
_DRAINED: Final = 12
_LONGEST_WAIT_SECONDS: Final = 100
_BEGIN_US: Final = 1_704_067_200_000_000

Request = Mapping[str, Any]


@dataclass(frozen=True)
class Exchange:
    """A request to a queue manager and its reply."""

    request: Request
    reply: Mapping[str, Any]
    interval: Interval
    ended: Mapping[int, ObservedReply] = field(default_factory=dict)


@dataclass
class Play:
    """A queue manager's play of requests, one after the other, with a clock that only they move."""

    server: Server
    setup: Setup
    platform: PlatformName = PLATFORM
    exchanges: list[Exchange] = field(default_factory=list)
    now_us: int = _BEGIN_US

    def ask(self, request: Request) -> Mapping[str, Any]:
        """Make a request and return the reply."""
        begin = self.now_us + 1
        reply = self.server.answer(json.dumps(request))
        call = parse_call(request)
        passed_ms = call.milliseconds if isinstance(call, Advance) else 0
        self.now_us = begin + 1 + passed_ms * 1000
        self.exchanges.append(Exchange(request, reply, Interval(begin, self.now_us)))
        return reply

    def waiting(self) -> set[int]:
        """Return the `seq` of the calls that still wait."""
        replies = {int(one.request["seq"]): parse_reply(one.reply) for one in self.exchanges}
        begun = {seq for seq, reply in replies.items() if reply.pending}
        return begun.difference(*(reply.completed for reply in replies.values()))

    def drain(self, seq: int) -> None:
        """Let calls that still wait end, and read the local queues until nothing is left or enough was tried."""
        numbers = count(seq + 1)

        def ask(**members: Any) -> Mapping[str, Any]:
            return self.ask({"seq": next(numbers), "op": "call", "conn": "Z", **members})

        waiting = self.waiting()
        for _ in range(_LONGEST_WAIT_SECONDS):
            if not waiting:
                break
            waiting.difference_update(
                parse_reply(self.ask({"seq": next(numbers), "op": "advance", "tenths": 10})).completed
            )
        ask(verb="MQCONN")
        for queue in self.setup.queues:
            if queue.get("type", "local") != "local":
                continue
            opened = ask(verb="MQOPEN", ObjectName=queue["name"], Options=int(MQOO.INPUT_SHARED))
            gmo = {"Options": int(MQGMO.NO_SYNCPOINT)}
            for _ in range(_DRAINED if opened.get("CompCode") == MQCC.OK else 0):
                got = ask(verb="MQGET", Hobj=opened["Hobj"], MQGMO=gmo, BufferLength=65_536)
                if got.get("CompCode") == MQCC.FAILED:
                    break


def recorded(
    server: Server, requests: Sequence[Request], name: str, platform: PlatformName = PLATFORM
) -> list[Record] | None:
    """Return the log of a session with a queue manager, without its header.

    None if it broke down, or if a log cannot be complete.
    """
    first, *others = requests
    play = Play(server, Setup(tuple(first["queues"]), first["qmgr"]), platform)
    if server.answer(json.dumps(first)).get("ok") is not True:
        return None
    try:
        for request in others:
            play.ask(request)
        play.drain(int(requests[-1]["seq"]))
        header, *records = event_log(play, name)
    except RequestError:
        return None
    return records if isinstance(header, LogHeader) and header.complete else None


def requests_of(trace: Trace) -> Iterator[list[Request]]:
    """Yield the requests of each session of a check."""
    for exchanges in sessions_of(trace.talk.exchanges):
        yield [json.loads(line) for line, _ in exchanges]


def told_apart(miniature: Miniature, check: Check, traces: Traces) -> Iterator[list[Record]]:
    """Yield the logs of a check's sessions with a miniature that differ from the model's."""
    trace = traces.of(check)
    if trace is None or miniature.goes_as(trace.talk):
        return
    for number, requests in enumerate(requests_of(trace)):
        name = f"{miniature.name}|{check.id}|{number}"
        wrong, right = (recorded(server, requests, name) for server in (miniature.server(), Server(PLATFORM)))
        if wrong is not None and wrong != right:
            yield wrong


def histories(miniature: Miniature, caught_by: str, checks: Sequence[Check], traces: Traces) -> Iterator[list[Record]]:
    """Yield logs of a miniature, first those of the check that catches it."""
    first = [check for check in checks if check.id == caught_by]
    others = [check for check in checks if check.id != caught_by]
    found = 0
    for check in [*first, *Random(miniature.name).sample(others, TRIED)]:
        for log in told_apart(miniature, check, traces):
            if found == SESSIONS:
                return
            found += 1
            yield log


def write_all(log: Path) -> Counter[str]:
    """Write the logs of all miniatures into one, and return the number of sessions of each."""
    caught = {row["name"]: row["check"] for row in json.loads(SENSITIVITY.read_text(encoding="utf-8"))["miniatures"]}
    checks, traces = [check for check in all_checks() if check.kind == "scenario"], Traces(PLATFORM)
    sessions: Counter[str] = Counter()
    with log.open("w", encoding="utf-8") as file:
        file.write(to_line(LogHeader(complete=True, platform=PLATFORM)) + "\n")
        for miniature in read_miniatures(MINIATURES):
            if miniature.platform != PLATFORM:
                continue
            for records in histories(miniature, caught[miniature.name], checks, traces):
                sessions[miniature.name] += 1
                file.writelines(to_line(record) + "\n" for record in records)
    return sessions


def found_in(engine: Engine, log: Path, replay_limit: int) -> dict[str, Counter[str]]:
    """Return by miniature the number of its sessions in which each rule was found broken."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    rows = audit(engine, [log], replay_limit=replay_limit).findings.select("qmgr", "rule").distinct().collect()
    for row in rows:
        found[row["qmgr"].split("|")[0]][row["rule"]] += 1
    return found


def page(sessions: Counter[str], alone: Mapping[str, Counter[str]], followed: Mapping[str, Counter[str]]) -> str:
    """Return the page of the findings."""
    by_name = {each.name: each for each in read_miniatures(MINIATURES)}
    return "\n".join(
        [_head(sessions, alone, followed), *(_row(by_name[name], alone, followed) for name in sessions), ""]
    )


def _head(sessions: Counter[str], alone: Mapping[str, Counter[str]], followed: Mapping[str, Counter[str]]) -> str:
    return f"""# How sharp the audit is

Written by `python -m bench.audit_sharpness`. Each row is a queue manager that is wrong on purpose, in one way
(`fixtures/miniatures`). It answered what scenarios of the suite ask the model, up to {SESSIONS} of those in which it
answers otherwise; then calls that still waited were given {_LONGEST_WAIT_SECONDS} seconds, and all queues were read
until they were empty. All that was recorded as complete logs with exact times and audited: by the checks alone, as
where the calls of a busy queue overlap, and with the oracle's replay.

Of {len(sessions)} wrong queue managers the checks alone find {len(alone)}, with the replay {len(followed)} are found.
Many of the others do nothing that a log holds: what a call asked for and was not given, attributes and properties,
conversion, context, or who of several that waited was served.

| wrong queue manager | what is wrong | breaks | found by the checks alone | with the replay |
| --- | --- | --- | --- | --- |"""


def _row(miniature: Miniature, alone: Mapping[str, Counter[str]], followed: Mapping[str, Counter[str]]) -> str:
    by_checks, by_both = (", ".join(sorted(told.get(miniature.name, ()))) for told in (alone, followed))
    return f"| `{miniature.name}` | {miniature.wrong} | {', '.join(miniature.rules)} | {by_checks} | {by_both} |"


def main() -> None:
    """Write the page."""
    with tempfile.TemporaryDirectory(prefix="sharpness-") as room, started(choose(LOCAL, None, 0)) as engine:
        log = Path(room) / "log.jsonl"
        sessions = write_all(log)
        alone, followed = found_in(engine, log, 0), found_in(engine, log, 20_000)
    PAGE.write_text(page(sessions, alone, followed), encoding="utf-8")


if __name__ == "__main__":
    main()
