"""The doctor: tests of a new adapter, step by step.

The first steps test whether it keeps the target protocol. Each makes a few requests, and reports what breaks the
protocol and what to do. The last steps are calls that nearly every check makes, judged by the documents
(`conformance/checks/first_deviations.py`): a target that departs there will depart nearly everywhere. A step whose
features the target does not claim is skipped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, Final

from conformance.checks.first_deviations import Plain, deviations, plain
from conformance.sessions.dialogue import DEFAULT_TIME_LIMIT_S, Dialogue
from conformance.targets import Target
from oracle.errors import InapplicableError, TargetError, TargetSilentError
from oracle.mqi.constants import MQCC, MQCO, MQGMO, MQOO, MQPMO, MQRC
from oracle.protocol import FEATURES

_HOUR_TENTHS: Final = 36000
_WAIT_MS: Final = 5000
_AT_ONCE: Final = {"Options": int(MQGMO.NO_SYNCPOINT)}
_AT_ONCE_PUT: Final = {"Options": int(MQPMO.NO_SYNCPOINT)}


_SILENT_MOST: Final = 2
"""The number of steps that may wait in vain for a reply: each takes the whole time limit."""
_GIVEN_UP: Final = "the target has kept two steps waiting for a reply; mend that first, the other steps were not tried"


class Health(str, Enum):
    """The result of a step, in a word."""

    OK = "ok"
    FAIL = "FAIL"
    VIOLATES = "violates"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The result of a step.

    A step that violates breaks a rule of the documents; it speaks the protocol correctly.
    """

    step: str
    """The action of the step, in words."""
    health: Health
    """The result."""
    advice: str = ""
    """The mistake and what to do, or the reason why the step was skipped."""


class _FailsError(Exception):
    """The target breaks the protocol."""


class _ViolatesError(Exception):
    """The target departs from the documents."""


@dataclass
class _Patient:
    """A target in dialogue, with short ways to ask it."""

    dialogue: Dialogue

    def ask(self, op: str, **members: Any) -> dict[str, Any]:
        return self.dialogue.ask({"seq": self.dialogue.next_seq(), "op": op, **members})

    def call(self, verb: str, conn: str = "A", **arguments: Any) -> dict[str, Any]:
        return self.ask("call", conn=conn, verb=verb, **arguments)

    def fresh(self) -> None:
        """Set up one queue and connect."""
        _must(
            self.ask("setup", queues=[{"name": "Q"}], qmgr={}).get("ok") is True, "setup must be answered with ok: true"
        )
        self.succeeds("MQCONN")

    def succeeds(self, verb: str, conn: str = "A", **arguments: Any) -> dict[str, Any]:
        reply = self.call(verb, conn, **arguments)
        codes = (reply.get("CompCode"), reply.get("Reason"))
        _must(
            codes == (MQCC.OK, MQRC.NONE), f"{verb} must succeed here with CompCode 0 and Reason 0, not {_ended(reply)}"
        )
        return reply

    def fails(self, reason: int, verb: str, conn: str = "A", **arguments: Any) -> dict[str, Any]:
        reply = self.call(verb, conn, **arguments)
        codes = (reply.get("CompCode"), reply.get("Reason"))
        wanted = f"CompCode 2 and Reason {MQRC.describe(reason)}"
        _must(codes == (MQCC.FAILED, reason), f"{verb} must fail here with {wanted}, not {_ended(reply)}")
        return reply

    def open(self, conn: str = "A") -> int:
        reply = self.succeeds("MQOPEN", conn, ObjectName="Q", Options=MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.INQUIRE)
        hobj = reply.get("Hobj")
        _must(
            isinstance(hobj, int) and not isinstance(hobj, bool),
            f"MQOPEN must return Hobj, an integer, not {_as_json(hobj)}",
        )
        return int(reply["Hobj"])


def _must(holds: bool, advice: str) -> None:
    if not holds:
        raise _FailsError(advice)


def _descriptor(reply: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the MQMD of a reply, which may be left out."""
    found = reply.get("MQMD", {})
    _must(isinstance(found, dict), f"MQMD must be an object with the fields as members, not {_as_json(found)}")
    return dict(found)


def _as_json(value: object) -> str:
    """Return a reply, or a member of one, as JSON."""
    return "missing" if value is None else json.dumps(value)[:200]


def _ended(reply: Mapping[str, Any]) -> str:
    """Return the codes of a reply, or the whole reply if it has none."""
    comp_code, reason = reply.get("CompCode"), reply.get("Reason")
    if isinstance(comp_code, int) and isinstance(reason, int):
        return f"CompCode {comp_code} and Reason {MQRC.describe(reason)}"
    return _as_json(reply)


def _introduction(patient: _Patient) -> None:
    unknown = sorted(set(patient.dialogue.hello.features) - set(FEATURES))
    _must(not unknown, f"hello names features that the protocol does not have: {', '.join(unknown)}")
    _must(bool(patient.dialogue.hello.features), "hello names no features, so hardly any check applies")


def _setup_makes_anew(patient: _Patient) -> None:
    patient.fresh()
    hobj = patient.open()
    patient.succeeds("MQPUT", Hobj=hobj, MQMD={}, MQPMO=_AT_ONCE_PUT, data="")
    patient.ask("setup", queues=[{"name": "Q"}], qmgr={})
    patient.fails(MQRC.HCONN_ERROR, "MQCMIT")
    patient.succeeds("MQCONN")
    patient.fails(MQRC.NO_MSG_AVAILABLE, "MQGET", Hobj=patient.open(), MQMD={}, MQGMO=_AT_ONCE, BufferLength=9)


def _unknown_members(patient: _Patient) -> None:
    reply = patient.ask("setup", queues=[{"name": "Q", "Colour": "blue"}], qmgr={"Colour": "blue"}, colour="blue")
    _must(reply.get("ok") is True, "an unknown member or attribute must be ignored")


def _handles_and_connections(patient: _Patient) -> None:
    patient.fresh()
    patient.fails(MQRC.HCONN_ERROR, "MQCMIT", "B")
    patient.fails(MQRC.UNKNOWN_OBJECT_NAME, "MQOPEN", ObjectName="NO.SUCH.QUEUE", Options=MQOO.OUTPUT)
    hobj = patient.open()
    patient.succeeds("MQCLOSE", Hobj=hobj, Options=MQCO.NONE)
    patient.fails(MQRC.HOBJ_ERROR, "MQPUT", Hobj=hobj, MQMD={}, MQPMO=_AT_ONCE_PUT, data="")
    patient.succeeds("MQDISC")


def _a_message(patient: _Patient) -> None:
    patient.fresh()
    hobj = patient.open()
    put = patient.succeeds("MQPUT", Hobj=hobj, MQMD={"CorrelId": "ab" * 24}, MQPMO=_AT_ONCE_PUT, data="00ff7e")
    made = _descriptor(put).get("MsgId")
    _must(
        _is_identifier(made), f"MQPUT must return MQMD.MsgId, 48 lowercase hexadecimal characters, not {_as_json(made)}"
    )
    got = patient.succeeds("MQGET", Hobj=hobj, MQMD={}, MQGMO=_AT_ONCE, BufferLength=100)
    md = _descriptor(got)
    _must(
        md.get("MsgId") == made,
        f"MQGET must return the whole MQMD: MsgId {_as_json(made)}, not {_as_json(md.get('MsgId'))}",
    )
    _must(
        md.get("CorrelId") == "ab" * 24, f"MQGET must return CorrelId as it was put, not {_as_json(md.get('CorrelId'))}"
    )
    _must(
        got.get("data") == "00ff7e",
        f"MQGET must return data as lowercase hexadecimal text, not {_as_json(got.get('data'))}",
    )
    _must(got.get("DataLength") == 3, f"DataLength must be 3, not {_as_json(got.get('DataLength'))}")


def _a_failure(patient: _Patient) -> None:
    patient.fresh()
    failed = patient.fails(
        MQRC.NO_MSG_AVAILABLE, "MQGET", Hobj=patient.open(), MQMD={}, MQGMO=_AT_ONCE, BufferLength=100
    )
    more = sorted(set(failed) - {"seq", "CompCode", "Reason", "completed"})
    _must(not more, f"with CompCode 2 only CompCode and Reason are returned, not {', '.join(more)}")


def _wait(patient: _Patient) -> int:
    options = {"Options": MQGMO.WAIT | MQGMO.NO_SYNCPOINT, "WaitInterval": _WAIT_MS}
    reply = patient.call("MQGET", Hobj=patient.open(), MQMD={}, MQGMO=options, BufferLength=100)
    _must(
        reply.get("pending") is True,
        f"an MQGET that has to wait must be answered with pending: true, not {_as_json(reply)}",
    )
    return int(reply["seq"])


def _completed(patient: _Patient, reply: Mapping[str, Any], seq: int, after: str) -> Mapping[str, Any]:
    late = [] if patient.dialogue.hello.clock == "virtual" else patient.dialogue.take_completed(0.5)
    ended = [*reply.get("completed", ()), *(done for line in late for done in line["completed"])]
    found = next((done for done in ended if done.get("seq") == seq), None)
    _must(found is not None, f"the MQGET that waited must be in completed, with its seq {seq}, after {after}")
    return found or {}


def _served_wait(patient: _Patient) -> None:
    patient.fresh()
    seq = _wait(patient)
    patient.succeeds("MQCONN", "B")
    reply = patient.succeeds("MQPUT", "B", Hobj=patient.open("B"), MQMD={}, MQPMO=_AT_ONCE_PUT, data="aa")
    done = _completed(patient, reply, seq, "the put that serves it")
    _must(done.get("data") == "aa", f"a completed MQGET has the outputs of MQGET, data too, not {_as_json(done)}")


def _unserved_wait(patient: _Patient) -> None:
    _must_be_virtual(patient)
    patient.fresh()
    seq = _wait(patient)
    reply = patient.ask("advance", tenths=_WAIT_MS // 100 - 1)
    _must(not reply.get("completed"), "a wait must not end before its interval has passed")
    done = _completed(patient, patient.ask("advance", tenths=1), seq, "the advance over the end of its interval")
    _must(done.get("Reason") == MQRC.NO_MSG_AVAILABLE, f"a wait in vain ends with Reason 2033, not {_as_json(done)}")


def _must_be_virtual(patient: _Patient) -> None:
    if patient.dialogue.hello.clock == "real":
        raise _SkippedError("the clock is real: advance is never sent")


def _expired(patient: _Patient) -> None:
    _must_be_virtual(patient)
    patient.fresh()
    hobj = patient.open()
    patient.succeeds("MQPUT", Hobj=hobj, MQMD={"Expiry": 10}, MQPMO=_AT_ONCE_PUT, data="aa")
    _must(patient.ask("advance", tenths=_HOUR_TENTHS).get("ok") is True, "advance must be answered with ok: true")
    patient.fails(MQRC.NO_MSG_AVAILABLE, "MQGET", Hobj=hobj, MQMD={}, MQGMO=_AT_ONCE, BufferLength=9)


def _inquiry(patient: _Patient) -> None:
    patient.fresh()
    values = patient.succeeds("MQINQ", Hobj=patient.open(), attributes=["CurrentQDepth"]).get("values")
    _must(values == {"CurrentQDepth": 0}, f"MQINQ must return values, an object by attribute, not {_as_json(values)}")


def _death(patient: _Patient) -> None:
    patient.fresh()
    _must(patient.ask("fail", conn="A").get("ok") is True, "fail must be answered with ok: true")
    patient.fails(MQRC.HCONN_ERROR, "MQCMIT")


def _nonsense(patient: _Patient) -> None:
    for request in ({"op": "dance"}, {"op": "call", "conn": "A", "verb": "MQDANCE"}, {"op": "call", "conn": "A"}):
        reply = patient.dialogue.ask_for_error({"seq": patient.dialogue.next_seq(), **request})
        _must(
            "error" in reply,
            f"the request {_as_json(request)} must be answered with error and a text, not {_as_json(reply)}",
        )
    _must(patient.ask("setup", queues=[], qmgr={}).get("ok") is True, "after an error the target must go on")


def _is_identifier(value: object) -> bool:
    return isinstance(value, str) and len(value) == 48 and value.strip("0123456789abcdef") == ""


class _SkippedError(Exception):
    """A step does not apply."""


_Look = Callable[[_Patient], None]


def _by_the_documents() -> Iterator[tuple[str, tuple[str, ...], _Look]]:
    """Yield the steps that are judged by the documents; a deviation is reported only once."""
    shown_by: dict[str, str] = {}
    for each in plain():
        yield f"as documented: {each.name}", each.features, partial(_as_documented, each, shown_by)


def _as_documented(each: Plain, shown_by: dict[str, str], patient: _Patient) -> None:
    texts = []
    for found in deviations(patient.dialogue, each.history):
        first = shown_by.setdefault(found.what, each.name)
        texts.append(found.text if first == each.name else f"{found.what} again, as in {first}")
    if texts:
        raise _ViolatesError("\n".join(dict.fromkeys(texts)))


_STEPS: Final[tuple[tuple[str, tuple[str, ...], _Look], ...]] = (
    ("hello", (), _introduction),
    ("unknown members are ignored", (), _unknown_members),
    ("handles and connections", (), _handles_and_connections),
    ("a message is put and got", (), _a_message),
    ("a failure returns its codes alone", (), _a_failure),
    ("setup resets everything", (), _setup_makes_anew),
    ("a wait that is served", ("wait",), _served_wait),
    ("a wait in vain", ("wait",), _unserved_wait),
    ("a message expires", ("expiry",), _expired),
    ("attributes are inquired", ("inquire",), _inquiry),
    ("an application dies", (), _death),
    ("nonsense is refused", (), _nonsense),
)
"""The steps, the features that each needs, and its function."""


def examine(target: Target, time_limit: float = DEFAULT_TIME_LIMIT_S) -> Generator[Diagnosis, None, None]:
    """Yield the diagnosis of each step.

    The target is restarted after a step that broke it, and is ended with the examination in any case. Raises
    TargetError if the target cannot be started or does not say hello.
    """
    try:
        yield from _examined(target, time_limit)
    finally:
        target.close()


def _examined(target: Target, time_limit: float) -> Iterator[Diagnosis]:
    dialogue: Dialogue | None = Dialogue(target, time_limit)
    steps, silent = (*_STEPS, *_by_the_documents()), 0
    for number, (step, features, look) in enumerate(steps, start=1):
        dialogue = dialogue or Dialogue(target, time_limit)
        missing = [feature for feature in features if feature not in dialogue.hello.features]
        if missing:
            yield Diagnosis(step, Health.SKIPPED, f"the target does not claim {', '.join(missing)}")
            continue
        try:
            look(_Patient(dialogue))
        except _FailsError as error:
            yield Diagnosis(step, Health.FAIL, str(error))
        except _ViolatesError as found:
            yield Diagnosis(step, Health.VIOLATES, str(found))
        except _SkippedError as reason:
            yield Diagnosis(step, Health.SKIPPED, str(reason))
        except InapplicableError as error:  # a request of a claimed feature must not be answered with an error
            yield Diagnosis(step, Health.FAIL if features else Health.SKIPPED, str(error))
        except TargetError as error:
            dialogue.close()
            dialogue = None
            yield Diagnosis(step, Health.FAIL, str(error))
            silent += isinstance(error, TargetSilentError)
            if silent == _SILENT_MOST and number < len(steps):
                yield Diagnosis(f"{len(steps) - number} more steps", Health.SKIPPED, _GIVEN_UP)
                return
        else:
            yield Diagnosis(step, Health.OK)
    if dialogue is not None:
        yield _farewell(dialogue)


def _farewell(dialogue: Dialogue) -> Diagnosis:
    try:
        reply = dialogue.ask({"seq": dialogue.next_seq(), "op": "bye"})
    except TargetError as error:
        dialogue.close()
        return Diagnosis("bye", Health.FAIL, str(error))
    amiss = dialogue.target.left(dialogue.time_limit)
    if amiss:
        ill = dialogue.trouble(f"after bye, and the end of its input, the target must end with exit status 0: {amiss}")
        return Diagnosis("bye", Health.FAIL, str(ill))
    if reply.get("ok") is not True:
        return Diagnosis("bye", Health.FAIL, f"bye must be answered with ok: true, not {_as_json(reply)}")
    return Diagnosis("bye", Health.OK)
