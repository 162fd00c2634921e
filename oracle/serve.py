"""The model as a target: protocol requests in, replies out, one JSON object a line.

The served queue manager takes the most plainly documented of the allowed outcomes. A request that the model does not
contain is answered with `error`, never guessed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from oracle import __version__
from oracle.errors import MqOracleError
from oracle.model.duration import check_clock
from oracle.model.queue_manager import outcomes
from oracle.model.state import State
from oracle.model.step import Outcome
from oracle.mqi.calls import Call
from oracle.mqi.profile import PlatformName
from oracle.protocol import FEATURES, VERSION, RequestError, format_reply, parse_call
from oracle.protocol.setup import state_of_setup
from oracle.text.json_text import is_unicode


class Server:
    """One target: a queue manager made by `setup` and changed by every request after it."""

    def __init__(self, platform: PlatformName = "distributed") -> None:
        self.platform: PlatformName = platform
        self._state: State | None = None

    def answer(self, line: str) -> dict[str, Any]:
        """Return the reply to one request; a request that cannot be carried out is answered with `error`."""
        seq: object = None
        try:
            request = json.loads(line)
            if not is_unicode(line) or not is_unicode(json.dumps(request, ensure_ascii=False)):
                raise ValueError("half of a character")  # noqa: TRY301 - told like other lines that are no JSON
            if not isinstance(request, dict):
                raise RequestError("a request is a JSON object")
            seq = request.get("seq")
            if not isinstance(seq, int) or isinstance(seq, bool):
                seq = None
                raise RequestError("seq must be an integer")
            return {"seq": seq, **self._carry_out(request)}
        except (ValueError, RecursionError):
            return {"seq": seq, "error": "the request is not a line of JSON"}
        except MqOracleError as error:
            return {"seq": seq, "error": str(error)}

    def _carry_out(self, request: Mapping[str, Any]) -> dict[str, Any]:
        op = request.get("op")
        if op == "hello":
            return self._hello(request)
        if op == "setup":
            self._state = state_of_setup(request, self.platform)
            return {"ok": True}
        if op == "bye":
            return {"ok": True}
        if self._state is None:
            raise RequestError("the first request after hello is setup")
        call = parse_call(request)
        check_clock(self._state, call)
        outcome = self.choose(outcomes(self._state, call), call)
        self._state = outcome.state
        return format_reply(outcome.reply, call, outcome.completed)

    def choose(self, allowed: Iterator[Outcome], call: Call) -> Outcome:  # noqa: ARG002 - for those who choose by the call
        """Return the outcome that this queue manager takes: the first, unless a subclass prefers another."""
        return next(allowed)

    def _hello(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if request.get("protocol") != VERSION:
            raise RequestError(f"this target speaks protocol {VERSION}")
        return {
            "protocol": VERSION,
            "implementation": {"name": "mq-oracle", "version": __version__, "language": "Python"},
            "platform": self.platform,
            "clock": "virtual",
            "features": list(FEATURES),
        }


def serve(requests: Iterable[str], server: Server) -> Iterator[str]:
    """Yield a reply line for each request line, until `bye`."""
    for line in requests:
        if not line.strip():
            continue
        reply = server.answer(line)
        yield json.dumps(reply, separators=(",", ":"))
        if _is_bye(line) and "error" not in reply:
            return


def _is_bye(line: str) -> bool:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(request, dict) and request.get("op") == "bye"
