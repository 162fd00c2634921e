"""A dialogue with a target: hello, numbered requests, and the recognition of a broken target.

Section "A broken target" of docs/target-protocol.md says what ends a check as a target error: no reply within the time
limit, a line that is not JSON, a wrong `seq`, an `error` reply, an early exit. This module decides all of it, for any
target.
"""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from conformance.sessions.details import DETAILS, unasked
from conformance.targets import Target
from oracle.errors import InapplicableError, TargetEndedError, TargetError, TargetGoneError, TargetSilentError, echo
from oracle.protocol import CLAIMED_DETAILS, FOUND_QMGR, VERSION
from oracle.text.mistakes import first_mistake

DEFAULT_TIME_LIMIT_S = 10.0
"""The default time limit for a reply, in seconds."""

_RECENT = 5
"""The number of requests shown when a target breaks."""

_MOST_COMPLETED = 1000
"""The greatest number of lines with `completed` alone between two replies; no more calls can have waited."""

_MARK = "\ufeff"
_FAREWELL_S = 1.0


class Implementation(BaseModel):
    """The identity of an implementation."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: Annotated[str, Field(min_length=1)]
    """Its name."""
    version: str = ""
    """Its version; empty if it does not state one."""
    language: str = ""
    """The language that it is written in; empty if it does not state one."""


class Hello(BaseModel):
    """A target's reply to `hello`: what it implements and is judged on."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    protocol: Literal[1]
    """The version of the target protocol that it speaks."""
    implementation: Implementation
    """Its identity."""
    platform: Literal["distributed", "zos", "ibmi"]
    """Its platform."""
    clock: Literal["virtual", "real"]
    """Whether requests move its time, or it passes by itself."""
    features: tuple[str, ...]
    """The features that it claims."""
    qmgr: dict[str, Any] = Field(default_factory=dict, alias=FOUND_QMGR)
    """Attributes of a queue manager that `setup` does not reset."""
    details: tuple[str, ...] | None = Field(default=None, alias=CLAIMED_DETAILS)
    """The finer features that it claims; None, which means all, if it does not state them."""

    @property
    def claimed(self) -> frozenset[str]:
        """The features that it claims, including the finer ones."""
        return frozenset(self.features).union(detail for detail in DETAILS if self.claims(detail))

    def claims(self, detail: str) -> bool:
        """Return whether the target claims a finer feature."""
        return self.details is None or detail in self.details


_ALWAYS_EXPRESSED = ("hello", "bye")
"""The requests without options, members or attributes that the target's interface might lack."""


class Dialogue:
    """A started target that has said hello. `time_limit` is for one reply, in seconds.

    `setups` is the number of queue managers that it has made.

    Raises TargetError if the target cannot be started or does not say hello.
    """

    def __init__(self, target: Target, time_limit: float = DEFAULT_TIME_LIMIT_S) -> None:
        self.target = target
        self.time_limit = time_limit
        self._seq = 0
        self._recent: deque[str] = deque(maxlen=_RECENT)
        self._completed: list[dict[str, Any]] = []
        self._pended: set[int] = set()
        self._broken = False
        self.setups = 0
        try:
            target.start()
            self.hello = self._introduce()
        except BaseException:  # an interrupt must not leave it running either
            target.close()
            raise

    @property
    def unasked(self) -> tuple[frozenset[str], frozenset[str]]:
        """The outputs that the target does not claim, and the rules about them."""
        return unasked(detail for detail in DETAILS if self.hello.claims(detail))

    def next_seq(self) -> int:
        """Return a number for the next request."""
        self._seq += 1
        return self._seq

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request, which includes its `seq`, and return its reply.

        Raises InapplicableError if the target has no way to express the request, and TargetError, with the last
        requests and the target's standard error, if it is broken.
        """
        reply = self.ask_for_error(request)
        if "unsupported" in reply and request.get("op") not in _ALWAYS_EXPRESSED:
            raise InapplicableError(f"the target's interface cannot express {echo(str(reply['unsupported']))}")
        if "error" in reply:
            raise self.trouble(f"the target answered the request with an error: {echo(str(reply['error']))}")
        return reply

    def ask_for_error(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request that may be answered with `error`, and return its reply.

        Raises TargetError if the target is broken otherwise.
        """
        line = json.dumps(request, separators=(",", ":"))
        self.setups += request.get("op") == "setup"
        self._recent.append(line)
        deadline = time.monotonic() + self.time_limit
        try:
            self.target.send(line)
            while (message := self._receive(deadline - time.monotonic())) is not None:
                if set(message) != {"completed"}:
                    return self._checked(message, request)
                self._note_completed(message)
        except TargetGoneError:
            self._broken = True
            raise
        except TargetError as error:
            raise self.trouble(str(error)) from error
        raise TargetSilentError(str(self.trouble(self._silence())))

    def _silence(self) -> str:
        """Return what was missing when the time for a reply had passed."""
        begun = self.target.unfinished()
        if not begun:
            return f"no reply within {self.time_limit:g} s"
        reason = f"no whole reply within {self.time_limit:g} s: the target has written {echo(begun)}"
        return f"{reason} without an end of line; end each reply with a line feed, and flush it"

    def take_completed(self, seconds: float = 0.0) -> list[dict[str, Any]]:
        """Return the lines with `completed` alone that have come, or come within the time.

        Raises TargetError if the target writes anything else unasked; its end shows at the next request.
        """
        deadline = time.monotonic() + seconds
        try:
            while (message := self._receive(deadline - time.monotonic())) is not None:
                if set(message) != {"completed"}:
                    raise TargetError(f"the target wrote unasked {echo(json.dumps(message))}")  # noqa: TRY301 - with the others
                self._note_completed(message)
                deadline = min(deadline, time.monotonic())
        except TargetEndedError:
            pass
        except TargetGoneError:
            self._broken = True
            raise
        except TargetError as error:
            raise self.trouble(str(error)) from error
        taken, self._completed = self._completed, []
        return taken

    def close(self) -> None:
        """Say `bye` and end the target; a broken one is ended without `bye`."""
        patience = 0.0 if self._broken else _FAREWELL_S
        self.setups += 1  # the queue manager is gone
        with suppress(TargetError):
            self.target.send(json.dumps({"seq": self.next_seq(), "op": "bye"}))
            self.target.receive(patience)
        self.target.close(patience)

    def trouble(self, text: str) -> TargetError:
        """Return the error for a broken target: what happened, the last requests, its standard error."""
        self._broken = True
        lines = [text, "last requests:", *(f"  {echo(request)}" for request in self._recent)]
        words = self.target.last_words().rstrip()
        if words:
            lines += ["standard error of the target:", *(f"  {echo(line)}" for line in words.splitlines())]
        return TargetError("\n".join(lines))

    def _introduce(self) -> Hello:
        reply = self.ask({"seq": self.next_seq(), "op": "hello", "protocol": VERSION})
        try:
            return Hello.model_validate(reply)
        except ValidationError as error:
            mistake = first_mistake(error)
            reason = mistake.about(mistake.member)
            said = f"the reply to hello is not of the protocol: {reason} (mq-conform schema reply prints its form)"
            raise self.trouble(said) from error

    def _receive(self, seconds: float) -> dict[str, Any] | None:
        line = self.target.receive(max(0.0, seconds))
        if line is None:
            return None
        message = _parsed(line)
        if _has_half_a_character(line, message):
            raise TargetError(f"the line is not of the protocol: it has half a character: {echo(line)}")
        completed = message.get("completed", [])
        if not isinstance(completed, list) or not all(_has_seq(done) for done in completed):
            wanted = f"completed must be a list of objects, each with the seq of its call, not {echo(str(completed))}"
            raise TargetError(f"the line is not of the protocol: {wanted}")
        begun = {message.get("seq")} if message.get("pending") is True else set()
        for done in completed:
            if done["seq"] not in self._pended | begun:  # the rules decide whether it may end now
                raise TargetError(f"completed names seq {done['seq']}, which is not pending")
        return message

    def _note_completed(self, message: dict[str, Any]) -> None:
        self._completed.append(message)
        if len(self._completed) > _MOST_COMPLETED:
            raise TargetError(f"the target wrote more than {_MOST_COMPLETED} lines with completed alone")

    def _checked(self, reply: dict[str, Any], request: Mapping[str, Any]) -> dict[str, Any]:
        seq = reply.get("seq")
        if seq != request["seq"] or isinstance(seq, bool):
            raise TargetError(f"the reply has seq {seq!r}, the request {request['seq']}")
        if request.get("op") == "setup":
            self._pended.clear()
        if reply.get("pending") is True:
            self._pended.add(seq)
            return _ended_at_once(reply)
        return reply


def _ended_at_once(reply: dict[str, Any]) -> dict[str, Any]:
    """Return a reply to a call that waits. One that has the end of its own call means no more than that end."""
    completed = reply.get("completed", [])
    own = next((done for done in completed if done["seq"] == reply["seq"]), None)
    if own is None:
        return reply
    others = [done for done in completed if done is not own]
    return {**own, "completed": others} if others else own


def _parsed(line: str) -> dict[str, Any]:
    """Return the object of a line. Raises TargetError, with the reason if the line itself does not show it."""
    why = "that is not a JSON object"
    if not line.strip():
        raise TargetError("the target wrote an empty line; each line must be a JSON object")
    if line.startswith(_MARK):
        raise TargetError("the target wrote a byte order mark (U+FEFF) before a line; write UTF-8 without it")
    try:
        message = json.loads(line)
    except json.JSONDecodeError:
        message = None
    except ValueError:  # the only other one, of an integer
        message, why = None, f"with an integer of more than {sys.get_int_max_str_digits()} digits"
    except RecursionError:
        message, why = None, "that is nested too deeply"
    if not isinstance(message, dict):
        raise TargetError(f"the target wrote a line {why}: {echo(line.rstrip())}")
    return message


def _has_half_a_character(line: str, message: Mapping[str, Any]) -> bool:
    """Return whether a text has a lone surrogate: it cannot be encoded, so no report could be written."""
    if "\\ud" not in line.lower():
        return False
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _has_seq(done: object) -> bool:
    """Return whether this can be the end of a waiting call: an object with a seq."""
    return isinstance(done, dict) and isinstance(done.get("seq"), int) and not isinstance(done["seq"], bool)
