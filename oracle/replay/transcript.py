"""The replay of a protocol transcript: requests and replies of a runner and a target, one object a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from oracle.errors import BadInputError, Place
from oracle.judging.follow import Follower
from oracle.mqi.profile import PLATFORMS, PlatformName
from oracle.protocol import parse_call, parse_reply
from oracle.protocol.setup import state_of_setup
from oracle.replay.steps import Replayed, UndecidedError, at, follow
from oracle.text.json_text import parse_json

Numbered = tuple[Place, Mapping[str, Any]]


def replay_transcript(lines: Iterable[str], source: str, platform: PlatformName = "distributed") -> Iterator[Replayed]:
    """Yield what each call of a transcript shows, up to the first departure.

    Each `setup` begins anew. `platform` is used until the reply to `hello` names another. Raises BadInputError for
    lines that are not requests and replies in turn, UndecidedError for a transcript that cannot be judged: a real
    clock, or a target that answered with an error.
    """
    follower: Follower | None = None
    for (place, request), (reply_place, reply) in _exchanges(_objects(lines, source)):
        _refuse_error(reply, reply_place)
        op = request["op"]
        if op == "bye":
            return
        with at(reply_place if op == "hello" else place):
            if op == "hello":
                platform = _platform_of(reply, reply_place, platform)
                continue
            if op == "setup":
                follower = Follower(state_of_setup(request, platform))
                continue
            if follower is None:
                raise BadInputError("no setup request comes before this, so the queues are not known")
            call = parse_call(request)
        with at(reply_place):
            observed = parse_reply(reply)
        step = follow(follower, call, observed, place)
        yield step
        if step.departs:
            return


def _platform_of(reply: Mapping[str, Any], place: Place, platform: PlatformName) -> PlatformName:
    """Return the platform that the reply to `hello` names."""
    if reply.get("clock", "virtual") != "virtual":
        raise UndecidedError("the target had a real clock, and a transcript does not say when calls happened", place)
    named = reply.get("platform", platform)
    for known in PLATFORMS:
        if named == known:
            return known
    raise BadInputError(f"unknown platform {named!r}")


def _refuse_error(reply: Mapping[str, Any], place: Place) -> None:
    if "unsupported" in reply:
        raise UndecidedError(f"the target's interface cannot express {reply['unsupported']}", place)
    if "error" in reply:
        raise UndecidedError(f"the target could not carry out the request: {reply['error']}", place)


def _exchanges(objects: Iterator[Numbered]) -> Iterator[tuple[Numbered, Numbered]]:
    """Yield each request with its reply.

    Raises BadInputError if they do not take turns.
    """
    for place, request in objects:
        if not isinstance(request.get("op"), str):
            raise BadInputError("a request is expected here: an object with seq and op", place)
        answer = next(objects, None)
        if answer is None:
            raise BadInputError(f"request {request.get('seq')} has no reply", place)
        reply_place, reply = answer
        if "op" in reply or reply.get("seq") != request.get("seq") or "seq" not in reply:
            raise BadInputError(f"the reply to request {request.get('seq')} is expected here", reply_place)
        yield (place, request), (reply_place, reply)


def _objects(lines: Iterable[str], source: str) -> Iterator[Numbered]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        place = Place(source, number)
        value = parse_json(line, place, "not a line of JSON")
        if not isinstance(value, dict):
            raise BadInputError("a request or reply is a JSON object", place)
        yield place, value
