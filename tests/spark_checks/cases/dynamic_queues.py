"""Dynamic queues and their deletion: CLO-05 to CLO-08."""

from __future__ import annotations

from oracle.mqi.constants import MQCO, MQOO, MQRC
from tests.spark_checks.cases import case
from tests.spark_checks.histories import PLAIN, QUEUE, SYNC, History

BOTH = MQOO.INPUT_SHARED | MQOO.OUTPUT


def _open(h: History, conn: str, start: int, name: str = QUEUE) -> None:
    h.call(conn, "MQOPEN", start, start + 1, queue=QUEUE, object_name=name, options=BOTH, hobj=1)


def _close(h: History, conn: str, start: int, options: int = MQCO.NONE) -> None:
    h.call(conn, "MQCLOSE", start, start + 2, queue=QUEUE, options=options, hobj=1)


def _is(h: History, kind: str) -> None:
    h.starts_empty()
    h.header("queue", DefinitionType=kind, CAPEXPRY=0)


@case("CLO-08 violation")
def put_to_a_queue_that_was_deleted(h: History) -> None:
    _is(h, "PERMANENT_DYNAMIC")
    _open(h, "A", 10, "MODEL")
    _open(h, "B", 14)
    _close(h, "A", 20, MQCO.DELETE)
    h.put("B", "m1", 30, 32, hobj=1)


@case()
def put_to_a_queue_that_was_made_again(h: History) -> None:
    _is(h, "PERMANENT_DYNAMIC")
    _open(h, "A", 10, "MODEL")
    _open(h, "B", 14)
    h.put("B", "m0", 16, 18, hobj=1)
    h.get("B", "m0", 18, 19, hobj=1)
    _close(h, "A", 20, MQCO.DELETE)
    h.put("B", "m1", 21, 32, hobj=1)
    _open(h, "A", 24, "MODEL")
    h.put("A", "m2", 30, 32, hobj=1)
    h.get("A", "m2", 40, 42, hobj=1)


@case("CLO-07 suspicion")
def got_from_a_temporary_queue_whose_creator_has_gone(h: History) -> None:
    _is(h, "TEMPORARY_DYNAMIC")
    _open(h, "A", 10, "MODEL")
    _open(h, "B", 14)
    h.put("B", "m1", 16, 18, hobj=1, persistence=0)
    _close(h, "A", 20)
    h.get("B", "m1", 30, 32, hobj=1, persistence=0)


def _made_by_a_model(h: History, kind: str = "TEMPORARY_DYNAMIC") -> None:
    h.records.append({"header": "queue", "qmgr": h.qmgr, "queue": "MODEL", "type": "model", "DefinitionType": kind})
    _open(h, "A", 10, "MODEL")
    _open(h, "B", 14)
    h.put("B", "m1", 16, 18, hobj=1, persistence=0)


@case("CLO-07 violation")
def got_from_a_queue_of_a_temporary_model_whose_creator_has_closed_it(h: History) -> None:
    _made_by_a_model(h)
    _close(h, "A", 20)
    h.get("B", "m1", 30, 32, hobj=1, persistence=0)


@case("CLO-07 violation")
def got_from_a_queue_of_a_model_that_makes_what_models_make_by_default(h: History) -> None:
    _made_by_a_model(h, "PREDEFINED")
    _close(h, "A", 20)
    h.get("B", "m1", 30, 32, hobj=1, persistence=0)


@case("CLO-07 violation")
def got_from_a_queue_of_a_temporary_model_whose_creator_has_disconnected(h: History) -> None:
    _made_by_a_model(h)
    h.call("A", "MQDISC", 20, 22)
    h.get("B", "m1", 30, 32, hobj=1, persistence=0)


@case("CLO-08 violation")
def put_to_a_queue_of_a_temporary_model_whose_creator_has_disconnected(h: History) -> None:
    _made_by_a_model(h)
    h.call("A", "MQDISC", 20, 22)
    h.put("B", "m2", 30, 32, hobj=1, persistence=0)


@case()
def expired_on_a_queue_whose_model_caps_expiry(h: History) -> None:
    model = {"type": "model", "DefinitionType": "PERMANENT_DYNAMIC", "CAPEXPRY": 100}
    h.records.append({"header": "queue", "qmgr": h.qmgr, "queue": "MODEL", **model})
    _open(h, "A", 10, "MODEL")
    h.put("A", "m1", 14, 16, hobj=1)
    h.nothing("A", 30_000_000, 30_000_002, hobj=1)


@case("CLO-08 violation")
def found_nothing_on_a_temporary_queue_whose_creator_has_gone(h: History) -> None:
    _made_by_a_model(h)
    h.get("B", "m1", 18, 19, hobj=1, persistence=0)
    _close(h, "A", 20)
    h.nothing("B", 30, 32, hobj=1)


@case()
def found_a_temporary_queue_deleted_whose_creator_has_gone(h: History) -> None:
    _made_by_a_model(h)
    h.get("B", "m1", 18, 19, hobj=1, persistence=0)
    _close(h, "A", 20)
    h.get("B", "m2", 30, 32, hobj=1, comp_code=2, reason=int(MQRC.Q_DELETED))


@case()
def got_from_a_queue_of_a_temporary_model_while_its_creator_may_be_there(h: History) -> None:
    _made_by_a_model(h)
    h.get("B", "m1", 30, 34, hobj=1, persistence=0)
    h.call("A", "MQDISC", 32, 40)


@case()
def got_from_a_queue_of_a_permanent_model_whose_creator_has_disconnected(h: History) -> None:
    _made_by_a_model(h, "PERMANENT_DYNAMIC")
    h.call("A", "MQDISC", 20, 22)
    h.get("B", "m1", 30, 32, hobj=1, persistence=0)


@case()
def got_from_a_temporary_queue_that_was_made_again(h: History) -> None:
    _made_by_a_model(h)
    h.get("B", "m1", 18, 19, hobj=1, persistence=0)
    _close(h, "A", 20)
    _open(h, "A", 24, "MODEL")
    h.call("C", "MQOPEN", 26, 27, queue=QUEUE, object_name=QUEUE, options=BOTH, hobj=1)
    h.put("C", "m2", 28, 29, hobj=1, persistence=0)
    h.get("C", "m2", 30, 32, hobj=1, persistence=0)


@case()
def got_from_a_temporary_queue_while_its_creator_is_there(h: History) -> None:
    _is(h, "TEMPORARY_DYNAMIC")
    _open(h, "A", 10, "MODEL")
    _open(h, "B", 14)
    h.put("A", "m1", 16, 18, hobj=1, persistence=0)
    h.get("B", "m1", 30, 32, hobj=1, persistence=0)
    _close(h, "B", 34)
    _close(h, "A", 40)


@case("CLO-05 violation")
def deleted_with_a_message(h: History) -> None:
    _is(h, "PERMANENT_DYNAMIC")
    _open(h, "A", 10, "MODEL")
    h.put("A", "m1", 14, 16, hobj=1)
    _close(h, "A", 20, MQCO.DELETE)


@case("CLO-05 violation")
def deleted_with_a_message_that_was_got_afterwards(h: History) -> None:
    _is(h, "PERMANENT_DYNAMIC")
    _open(h, "A", 10, "MODEL")
    h.put("A", "m1", 14, 16, hobj=1)
    _close(h, "A", 20, MQCO.DELETE)
    h.get("C", "m1", 30, 32)


@case()
def deleted_when_it_may_have_been_empty(h: History) -> None:
    _is(h, "PERMANENT_DYNAMIC")
    _open(h, "A", 10, "MODEL")
    h.put("A", "m1", 14, 16, hobj=1)
    h.put("A", "m2", 17, 18, hobj=1, expiry=1)
    h.get("B", "m1", 17, 21)
    _close(h, "A", 2_000_000, MQCO.DELETE)


@case()
def purged_with_a_message(h: History) -> None:
    _is(h, "PERMANENT_DYNAMIC")
    _open(h, "A", 10, "MODEL")
    h.put("A", "m1", 14, 16, hobj=1)
    _close(h, "A", 20, MQCO.DELETE_PURGE)


@case("CLO-06 violation")
def purged_while_a_get_was_not_committed(h: History) -> None:
    _is(h, "PERMANENT_DYNAMIC")
    _open(h, "A", 10, "MODEL")
    h.put("A", "m1", 12, 13, hobj=1)
    h.get("B", "m1", 14, 16, options=SYNC)
    _close(h, "A", 20, MQCO.DELETE_PURGE)
    h.commit("B", 30, 32)


@case("CLO-06 suspicion")
def purged_by_an_application_that_did_nothing_afterwards(h: History) -> None:
    _is(h, "PERMANENT_DYNAMIC")
    _open(h, "A", 10, "MODEL")
    h.put("A", "m1", 12, 13, hobj=1, options=SYNC)
    _close(h, "A", 20, MQCO.DELETE_PURGE)


@case("CLO-06 violation")
def purged_by_the_application_that_had_not_committed_its_put(h: History) -> None:
    purged_by_an_application_that_did_nothing_afterwards(h)
    h.commit("A", 30, 32)


@case()
def purged_when_everything_may_have_been_committed(h: History) -> None:
    _is(h, "PERMANENT_DYNAMIC")
    _open(h, "A", 10, "MODEL")
    h.put("A", "m1", 12, 13, hobj=1)
    h.get("B", "m1", 14, 16, options=SYNC)
    h.commit("B", 19, 32)
    h.get("B", "m2", 40, 42, options=PLAIN, comp_code=2, reason=2052)
    _close(h, "A", 20, MQCO.DELETE_PURGE)


@case()
def lost_with_a_temporary_queue_that_was_made_again(h: History) -> None:
    _is(h, "TEMPORARY_DYNAMIC")
    _open(h, "A", 10, "MODEL")
    h.put("A", "m1", 14, 16, hobj=1, persistence=0)
    _close(h, "A", 20)
    _open(h, "A", 24, "MODEL")
    h.nothing("A", 30, 32, hobj=1)


@case("DLV-03 violation")
def lost_on_a_temporary_queue_that_was_not_made_again(h: History) -> None:
    h.header("queue", DefinitionType="TEMPORARY_DYNAMIC", Usage="NORMAL", CAPEXPRY=0)
    _open(h, "A", 10, "MODEL")
    _open(h, "B", 12)
    h.put("B", "m1", 14, 16, hobj=1, persistence=0, object_name=QUEUE)
    h.nothing("A", 30, 32, hobj=1)


@case()
def lost_with_the_queue_of_a_model_that_makes_several(h: History) -> None:
    for conn, queue in (("A", QUEUE), ("B", "Q2")):
        h.call(conn, "MQOPEN", 10, 11, queue=queue, object_name="MODEL", options=BOTH, hobj=1)
    h.put("A", "m1", 14, 16, hobj=1, persistence=0)
    _close(h, "A", 20)
    _open(h, "A", 24, "MODEL")
    h.nothing("A", 30, 32, hobj=1)


@case("DLV-03 suspicion")
def lost_where_a_refused_close_may_have_purged_the_queue(h: History) -> None:
    _open(h, "A", 10)
    h.put("A", "m1", 14, 16, hobj=1)
    refused = {"comp_code": 2, "reason": int(MQRC.Q_NOT_EMPTY)}
    h.call("A", "MQCLOSE", 20, 22, queue=QUEUE, options=MQCO.DELETE_PURGE, hobj=1, **refused)
    h.nothing("B", 30, 32)
