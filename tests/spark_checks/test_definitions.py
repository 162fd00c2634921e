"""Queue definitions as runmqsc prints them, and as configuration events have them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures.side_inputs import CONFIG, QLOCAL, config_event, config_text, mqsc, mqsc_commands
from oracle.errors import BadInputError
from oracle.histories.event_log import Header, QueueHeader
from spark_checks.coverage.advice import advice
from spark_checks.preparation.facts import attributes_of, log_facts
from spark_checks.readers.detect import Format, Source, detect
from spark_checks.readers.streams import STREAMED

SAMPLES = Path(__file__).parents[3] / "shared" / "samples" / "runmqsc-dis-conn"
ATTRIBUTES = {
    "CAPEXPRY": 0, "DefPriority": 4, "DefPersistence": 1, "DefinitionType": "PREDEFINED", "InhibitGet": 0,
    "InhibitPut": 1, "MaxQDepth": 5000, "MaxMsgLength": 4194304, "MsgDeliverySequence": "FIFO", "Shareability": 1,
    "TriggerControl": 0, "TriggerType": 1, "Usage": "NORMAL",
}  # fmt: skip  # pairs


def printed(tmp_path: Path, text: str, form: Format = Format.MQSC) -> tuple[list[dict[str, object]], list[str]]:
    """Return the queues and the errors that are read from a text."""
    path = tmp_path / "mq.txt"
    path.write_text(text, encoding="utf-8")
    source = detect(path)
    assert source.format is form
    records = list(STREAMED[source.format](source))
    headers = [record.model_dump() for record in records if isinstance(record, Header)]
    return headers, [str(record) for record in records if isinstance(record, BadInputError)]


def test_a_definition_becomes_a_queue_header(tmp_path: Path) -> None:
    headers, errors = printed(tmp_path, mqsc(QLOCAL))
    assert errors == []
    assert headers == [{"header": "queue", "qmgr": "QM1", "queue": "APP.QUEUE", **ATTRIBUTES}]


def test_sessions_of_several_queue_managers_may_follow_each_other(tmp_path: Path) -> None:
    other = {**QLOCAL, "QUEUE": "OTHER", "MSGDLVSQ": "PRIORITY"}
    headers, errors = printed(tmp_path, mqsc(QLOCAL, other) + mqsc(other, qmgr="QM2"))
    assert errors == []
    assert [(each["qmgr"], each["queue"], each["MsgDeliverySequence"]) for each in headers] == [
        ("QM1", "APP.QUEUE", "FIFO"),
        ("QM1", "OTHER", "PRIORITY"),
        ("QM2", "OTHER", "PRIORITY"),
    ]


@pytest.mark.parametrize(
    ("shown", "cap"),
    [
        ({"CAPEXPRY": "100"}, 100),
        ({"CAPEXPRY": "NOLIMIT"}, 0),
        ({"CUSTOM": "CAPEXPRY(70)"}, 70),
        ({"CUSTOM": " "}, 0),
    ],
)
def test_capexpry_stands_for_itself_or_in_custom(tmp_path: Path, shown: dict[str, str], cap: int) -> None:
    before = {name: value for name, value in QLOCAL.items() if name != "CAPEXPRY"}
    headers, _ = printed(tmp_path, mqsc({**before, **shown}))
    assert headers[0]["CAPEXPRY"] == cap


def test_what_is_not_printed_is_not_known(tmp_path: Path) -> None:
    headers, errors = printed(tmp_path, mqsc({"QUEUE": "Q", "TYPE": "QLOCAL", "CUSTOM": " ", "MSGDLVSQ": "FIFO"}))
    assert errors == []
    assert headers == [{"header": "queue", "qmgr": "QM1", "queue": "Q", "MsgDeliverySequence": "FIFO"}]


def test_other_objects_are_passed_over(tmp_path: Path) -> None:
    remote = {"QUEUE": "FAR", "TYPE": "QREMOTE", "DEFPRTY": "0", "PUT": "ENABLED"}
    headers, errors = printed(tmp_path, mqsc(remote, QLOCAL))
    assert errors == []
    assert [each["queue"] for each in headers] == ["APP.QUEUE"]


def test_model_queues_are_told_from_local_ones(tmp_path: Path) -> None:
    model = {"QUEUE": "ANSWERS", "TYPE": "QMODEL", "DEFTYPE": "TEMPDYN", "MAXDEPTH": "7"}
    found, errors = printed(tmp_path, mqsc(model, QLOCAL))
    text = "* Queue manager name: QM1\nDEFINE QMODEL('ANSWERS') DEFTYPE(TEMPDYN) MAXDEPTH(7)\nDEF QL(A) MAXDEPTH(7)\n"
    defined, more = printed(tmp_path, text, Format.MQSC_SCRIPT)
    event = json.dumps(config_event({**CONFIG, "queueName": "ANSWERS", "queueType": "Model"}))
    told, others = printed(tmp_path, event, Format.CONFIG_EVENTS)
    assert errors == more == others == []
    kinds = [[(each["queue"], each.get("type")) for each in headers] for headers in (found, defined, told)]
    assert kinds == [
        [("ANSWERS", "model"), ("APP.QUEUE", None)],
        [("ANSWERS", "model"), ("A", None)],
        [("ANSWERS", "model")],
    ]
    assert (found[0]["DefinitionType"], found[0]["MaxQDepth"]) == ("TEMPORARY_DYNAMIC", 7)


def test_aliases_are_read_with_their_targets(tmp_path: Path) -> None:
    shown = {"QUEUE": "WAY", "TYPE": "QALIAS", "DEFPRTY": "3", "TARGET": "APP.QUEUE", "CUSTOM": " ", "ALTDATE": "-"}
    found, errors = printed(tmp_path, mqsc(shown, QLOCAL))
    text = "* Queue manager name: QM1\nDEFINE QALIAS('WAY') TARGQ(APP.QUEUE) DEFPRTY(3) CAPEXPRY(NOLIMIT)\n"
    defined, more = printed(tmp_path, text, Format.MQSC_SCRIPT)
    event = config_event(
        {"queueName": "WAY", "queueType": "Alias", "baseObjectName": "APP.QUEUE", "defPriority": 3, "capExpiry": -1}
    )
    told, others = printed(tmp_path, json.dumps(event), Format.CONFIG_EVENTS)
    assert errors == more == others == []
    known = [
        {name: headers[0].get(name) for name in ("queue", "type", "target", "DefPriority", "CAPEXPRY")}
        for headers in (found, defined, told)
    ]
    assert known == [{"queue": "WAY", "type": "alias", "target": "APP.QUEUE", "DefPriority": 3, "CAPEXPRY": 0}] * 3


@pytest.mark.parametrize("text", ["see MSGDLVSQ(PRIORITY) and :-) DEFPRTY(9)", "a) DEFPRTY(9) MSGDLVSQ(PRIORITY) b"])
def test_a_description_cannot_pretend_to_be_attributes(tmp_path: Path, text: str) -> None:
    headers, _ = printed(tmp_path, mqsc({**QLOCAL, "DESCR": text}))
    assert headers[0]["MsgDeliverySequence"] == "FIFO"
    assert headers[0]["DefPriority"] == 4


def test_a_value_that_cannot_be_is_an_error_with_its_line_and_the_rest_is_kept(tmp_path: Path) -> None:
    text = mqsc({**QLOCAL, "DEFPRTY": "four"}, {**QLOCAL, "QUEUE": "NEXT"})
    headers, errors = printed(tmp_path, text)
    line = next(number for number, each in enumerate(text.splitlines(), start=1) if "four" in each)
    assert len(errors) == 1
    assert f"mq.txt:{line}: DEFPRTY" in errors[0]
    assert "DefPriority" not in headers[0]
    assert [each["queue"] for each in headers] == ["APP.QUEUE", "NEXT"]


def test_where_the_queue_manager_is_not_named_its_name_is_empty(tmp_path: Path) -> None:
    headers, errors = printed(tmp_path, mqsc(QLOCAL).split("\n\n\n")[1])
    assert errors == []
    assert [(each["qmgr"], each["queue"]) for each in headers] == [("", "APP.QUEUE")]


def test_cut_anywhere_it_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    text = mqsc(QLOCAL)
    whole, _ = printed(tmp_path, text)
    for end in range(text.index("QUEUE(APP") + 40, len(text), 17):
        headers, _ = printed(tmp_path, text[:end])
        for header in headers:
            assert header.items() <= whole[0].items()


OTHER = {**CONFIG, "queueName": "OTHER", "msgDeliverySequence": "Priority"}
LAYOUTS = {
    "json": "".join(json.dumps(config_event(each), indent=2) + "\n" for each in (CONFIG, OTHER)),
    "json_compact": "".join(json.dumps(config_event(each)) + "\n" for each in (CONFIG, OTHER)),
    "json_array": json.dumps([config_event(each) for each in (CONFIG, OTHER)], indent=2),
    "text": config_text(CONFIG) + config_text(OTHER, 2),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_configuration_events_tell_the_same_as_runmqsc(tmp_path: Path, layout: str) -> None:
    headers, errors = printed(tmp_path, LAYOUTS[layout], Format.CONFIG_EVENTS)
    assert errors == []
    first = {"header": "queue", "qmgr": "QM1", "queue": "APP.QUEUE", **ATTRIBUTES}
    assert headers == [first, {**first, "queue": "OTHER", "MsgDeliverySequence": "PRIORITY"}]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_damaged_event_is_an_error_and_the_next_is_read(tmp_path: Path, layout: str) -> None:
    whole = LAYOUTS[layout]
    at = whole.index("FIFO")
    damaged = whole[:at] + ("LIFO" if layout == "text" else '"}') + whole[at + 4 :]
    headers, errors = printed(tmp_path, damaged, Format.CONFIG_EVENTS)
    assert len(errors) >= 1
    assert "mq.txt:" in errors[0]
    assert headers[-1]["queue"] == "OTHER"


def test_an_event_that_is_not_closed_does_not_cost_the_next(tmp_path: Path) -> None:
    for layout in ("json", "json_array"):
        text = LAYOUTS[layout]
        at = text.index('"capExpiry"')
        end = text.index("}", at)
        headers, errors = printed(tmp_path, text[:end] + text[end + 1 :], Format.CONFIG_EVENTS)
        assert len(errors) == 1
        assert [each["queue"] for each in headers] == ["OTHER"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_cut_anywhere_events_never_raise(tmp_path: Path, layout: str) -> None:
    whole = LAYOUTS[layout]
    for end in range(whole.index("Config Event") + 20, len(whole), 61):
        headers, _ = printed(tmp_path, whole[:end], Format.CONFIG_EVENTS)
        assert len(headers) <= 2


def test_numbers_may_be_printed_as_strings_or_identifiers_as_numbers(tmp_path: Path) -> None:
    text = (
        json.dumps(config_event(CONFIG))
        .replace("-1", '"-1"')
        .replace('"eventData"', f'"correlationID": {"0" * 48}, "eventData"')
    )
    headers, errors = printed(tmp_path, text, Format.CONFIG_EVENTS)
    assert errors == []
    assert headers[0]["CAPEXPRY"] == 0


def test_events_of_other_kinds_and_of_remote_definitions_are_passed_over(tmp_path: Path) -> None:
    remote = config_event({**CONFIG, "queueType": "Remote"})
    full = {**config_event({}), "eventType": {"name": "Perfm Event", "value": 45}}
    text = "".join(json.dumps(each) + "\n" for each in (remote, full, config_event(CONFIG)))
    headers, errors = printed(tmp_path, text, Format.CONFIG_EVENTS)
    assert errors == []
    assert [each["queue"] for each in headers] == ["APP.QUEUE"]


def test_activity_trace_that_the_search_did_not_find_is_not_lost_in_silence(tmp_path: Path) -> None:
    trace = {**config_event({}), "eventType": {"name": "Trace", "value": 209}}
    path = tmp_path / "events.json"
    path.write_text(json.dumps(config_event(CONFIG)) + "\n" + json.dumps(trace), encoding="utf-8")
    source = Source(str(path), Format.CONFIG_EVENTS, compressed=False, size=path.stat().st_size)
    (_, error) = STREAMED[source.format](source)
    assert "activity trace" in str(error)


def test_activity_trace_in_text_as_amqsevt_prints_it_is_not_lost_in_silence(tmp_path: Path) -> None:
    trace = (
        "**** Message #1 (900 Bytes) on Queue SYSTEM.ADMIN.TRACE.ACTIVITY.QUEUE ****\n"
        "Event Type                       : Activity Trace [209]\nReason : None [0]\n  Queue Mgr Name : QM1\n"
        + "  Activity Trace\n    Operation Id                   : Put\n    Hobj : 2\n"
        * 2
    )
    for text, queues in ((trace, []), (trace + config_text(CONFIG, 2), ["APP.QUEUE"])):
        headers, errors = printed(tmp_path, text, Format.CONFIG_EVENTS)
        assert [each["queue"] for each in headers] == queues
        assert [error.partition("mq.txt:")[2].partition(":")[0] for error in errors] == ["6", "9"]
        assert "print it with -o json" in errors[0]


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples are not beside this checkout")
def test_real_configuration_events_are_read() -> None:
    source = detect(SAMPLES.parent / "amqsevt-json" / "lmf_live-file-output_json_compact.txt")
    headers = [each for each in STREAMED[source.format](source) if isinstance(each, Header)]
    assert ("NHAUAPP", "EVT.DRAIN.PROBE") in {(each.qmgr, each.queue) for each in headers if each.header == "queue"}


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples are not beside this checkout")
def test_real_output_of_other_commands_has_no_definition() -> None:
    for path in SAMPLES.glob("*.log"):
        source = detect(path)
        (error,) = STREAMED[source.format](source)
        assert "no definition of a local queue" in str(error)


@pytest.mark.parametrize(("cap", "known"), [(-1, 0), (0, 0), (600, 600)])
def test_a_header_may_say_that_there_is_no_cap_as_ibm_mq_does(cap: int, known: int) -> None:
    header = QueueHeader.model_validate({"qmgr": "QM1", "queue": "Q", "CAPEXPRY": cap})
    assert [queue.cap_expiry for queue in log_facts([header]).queues] == [known]
    assert attributes_of(header) == {"CAPEXPRY": known}


def test_commands_of_dmpmqcfg_tell_the_same_as_runmqsc(tmp_path: Path) -> None:
    other = {**QLOCAL, "QUEUE": "other", "MSGDLVSQ": "PRIORITY", "DESCR": "the 'other' + one"}
    headers, errors = printed(tmp_path, mqsc_commands(QLOCAL, other), Format.MQSC_SCRIPT)
    assert errors == []
    known = {name: value for name, value in ATTRIBUTES.items() if name != "DefinitionType"}
    first = {"header": "queue", "qmgr": "QM1", "queue": "APP.QUEUE", **known}
    assert headers == [first, {**first, "queue": "other", "MsgDeliverySequence": "PRIORITY"}]


@pytest.mark.parametrize(
    ("command", "queue", "attributes"),
    [
        ("define ql(app.q) msgdlvsq(fifo) replace", "APP.Q", {"MsgDeliverySequence": "FIFO"}),
        ("DEFINE QLOCAL ('app.q') MAXD+\n   EPTH(7)", "app.q", {"MaxQDepth": 7}),
        ("DEF QL(A.B) DEFP-\nRTY(3) -\n NOSHARE", "A.B", {"DefPriority": 3, "Shareability": 0}),
        ("DEFINE QLOCAL(Q) DESCR('GET(DISABLED) + (') +\n* a comment\n  PUT(DISABLED)", "Q", {"InhibitPut": 1}),
        ("DEFINE QLOCAL(Q) CUSTOM('CAPEXPRY(70)') TRIGDATA(' ')", "Q", {"CAPEXPRY": 70, "TriggerData": ""}),
    ],
)
def test_commands_go_on_in_the_next_line_and_keep_what_is_in_quotes(
    tmp_path: Path, command: str, queue: str, attributes: dict[str, object]
) -> None:
    headers, errors = printed(tmp_path, f"* Queue manager name: QM1\n{command}\n", Format.MQSC_SCRIPT)
    assert errors == []
    assert headers == [{"header": "queue", "qmgr": "QM1", "queue": queue, **attributes}]


@pytest.mark.parametrize(
    "text",
    [
        "DEFINE QLOCAL(A) MAXDEPTH(5) REPLACE; DEFINE QLOCAL(B) MAXDEPTH(7)",
        "DEFINE QLOCAL(A) DESCR('it''s; a queue') +\n  MAXDEPTH(5);DEFINE QLOCAL(B) +\n MAXDEPTH(7);",
        "DELETE QLOCAL(A); DEFINE QLOCAL(A) MAXDEPTH(5) ;\nDEFINE QLOCAL(B) MAXDEPTH(7); DISPLAY QLOCAL(B)",
    ],
)
def test_a_semicolon_ends_a_command(tmp_path: Path, text: str) -> None:
    headers, errors = printed(tmp_path, f"* Queue manager name: QM1\n{text}\n", Format.MQSC_SCRIPT)
    assert [(each["queue"], each["MaxQDepth"]) for each in headers] == [("A", 5), ("B", 7)]
    assert errors == []


def test_a_value_that_an_attribute_cannot_have_is_told_with_the_attribute(tmp_path: Path) -> None:
    _, errors = printed(tmp_path, "DEFINE QLOCAL(A) DEFPRTY(12)\n", Format.MQSC_SCRIPT)
    assert [error.partition("mq.txt:")[2] for error in errors] == [
        "1: this definition is not read: DefPriority must be at most 9"
    ]


def test_commands_about_other_objects_are_passed_over_and_damaged_ones_told(tmp_path: Path) -> None:
    text = (
        "DEFINE QREMOTE(A) RNAME(Q)\nDEFINE QLOCAL(Q\nDEFINE QLOCAL() GET(ENABLED)\n"
        "DEFINE QLOCAL(R) DEFPRTY(four) PUT(ENABLED)\nDISPLAY QLOCAL(*)\n"
    )
    headers, errors = printed(tmp_path, text, Format.MQSC_SCRIPT)
    assert headers == [{"header": "queue", "qmgr": "", "queue": "R", "InhibitPut": 0}]
    assert [error.partition("mq.txt:")[2].partition(":")[0] for error in errors] == ["2", "3", "4"]


def test_numbers_of_more_than_32_bits_are_no_attribute_and_cost_no_other_definition(tmp_path: Path) -> None:
    wide = {**QLOCAL, "MAXDEPTH": str(2**31), "CAPEXPRY": "9" * 20}
    headers, errors = printed(tmp_path, mqsc(wide, {**QLOCAL, "QUEUE": "NEXT"}))
    assert len(errors) == 2
    assert "MaxQDepth" not in headers[0]
    assert [each["queue"] for each in headers] == ["APP.QUEUE", "NEXT"]
    events = json.dumps(config_event({**CONFIG, "maxQueueDepth": 2**40})) + "\n" + json.dumps(config_event(OTHER))
    headers, errors = printed(tmp_path, events, Format.CONFIG_EVENTS)
    assert (len(headers), len(errors)) == (2, 1)


def test_an_event_of_no_legible_type_is_told(tmp_path: Path) -> None:
    events = [config_event(CONFIG), {**config_event(OTHER), "eventType": {"name": "Config"}}]
    headers, errors = printed(tmp_path, "".join(json.dumps(one) + "\n" for one in events), Format.CONFIG_EVENTS)
    assert [each["queue"] for each in headers] == ["APP.QUEUE"]
    assert ["type cannot be read" in error for error in errors] == [True]


@pytest.mark.parametrize(("shown", "interval"), [("5000", 5000), ("NOLIMIT", -1), ("0", 0)])
def test_markint_of_a_queue_manager_is_known_from_its_display(tmp_path: Path, shown: str, interval: int) -> None:
    display = (
        "Starting MQSC for queue manager QM1.\n\n     1 : DISPLAY QMGR\nAMQ8408I: Display Queue Manager details.\n"
        f"   QMNAME(QM1)                             ACCTCONO(DISABLED)\n   MARKINT({shown})    MAXMSGL(4194304)\n"
    )
    headers, errors = printed(tmp_path, display)
    assert errors == []
    assert headers == [{"header": "queue", "qmgr": "QM1", "queue": "", "MarkBrowseInterval": interval}]
    assert log_facts([QueueHeader(**headers[0])]).mark_intervals == {"QM1": interval}


def test_markint_stands_beside_the_queues_of_a_session(tmp_path: Path) -> None:
    text = mqsc(QLOCAL).removesuffix("One MQSC command read.\nNo commands have a syntax error.\n")
    text += "     2 : DISPLAY QMGR MARKINT\nAMQ8408I: Display Queue Manager details.\n   QMNAME(QM1)   MARKINT(10)\n"
    headers, errors = printed(tmp_path, text)
    assert errors == []
    assert [(each["queue"], each.get("MarkBrowseInterval")) for each in headers] == [("APP.QUEUE", None), ("", 10)]


def test_markint_of_zos_names_its_queue_manager(tmp_path: Path) -> None:
    headers, errors = printed(tmp_path, "CSQM409I !MQ07 QMNAME(MQ07)\nMARKINT(5000)\nMAXMSGL(4194304)\n")
    assert errors == []
    assert headers == [{"header": "queue", "qmgr": "MQ07", "queue": "", "MarkBrowseInterval": 5000}]


def test_markint_is_known_from_the_commands_that_alter_the_queue_manager(tmp_path: Path) -> None:
    text = "* Queue manager name: QM1\nALTER QMGR +\n   MARKINT(7000) +\n*  CRDATE(2025-01-31) +\n   FORCE\n"
    headers, errors = printed(tmp_path, text, Format.MQSC_SCRIPT)
    assert errors == []
    assert headers == [{"header": "queue", "qmgr": "QM1", "queue": "", "MarkBrowseInterval": 7000}]


def test_markint_is_known_from_the_configuration_event_of_a_queue_manager(tmp_path: Path) -> None:
    text = json.dumps(config_event({"objectType": "Queue Manager", "msgMarkBrowseInterval": 5000}))
    headers, errors = printed(tmp_path, text, Format.CONFIG_EVENTS)
    assert errors == []
    assert headers == [{"header": "queue", "qmgr": "QM1", "queue": "", "MarkBrowseInterval": 5000}]


def test_a_markint_that_is_no_number_is_told(tmp_path: Path) -> None:
    text = "* Queue manager name: QM1\nALTER QMGR MARKINT(soon)\nDEFINE QLOCAL(Q) MAXDEPTH(5)\n"
    headers, errors = printed(tmp_path, text, Format.MQSC_SCRIPT)
    assert [each["queue"] for each in headers] == ["Q"]
    assert len(errors) == 1
    assert "MARKINT" in errors[0]


def test_a_rule_that_lacks_markint_says_where_to_get_it() -> None:
    assert ["MARKINT" in told for told in advice(frozenset(), {}, {"MarkBrowseInterval"})] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffDEFINE QLOCAL('Q') MAXDEPTH(7)\n",
        "DEFINE NOREPLACE -\n   QLOCAL ( 'Q' ) -\n   MAXDEPTH ( 7 )\n",
        "DEFINE REPLACE QLOCAL('Q') MAXDEPTH(7)\n",
        "DEFINE +\n  QLOCAL(Q) +\n  MAXDEPTH(7)\n",
        "+CSQ1 DEFINE QLOCAL(Q) MAXDEPTH(7)\n/CSQ1 DISPLAY QLOCAL(Q)\n",
        "DEFINE QLOCAL('Q')".ljust(71) + "-00010000\n" + "  MAXDEPTH(7)".ljust(72) + "00020000\n",
    ],
)
def test_commands_are_read_as_they_are_kept_on_other_platforms(tmp_path: Path, text: str) -> None:
    headers, errors = printed(tmp_path, text, Format.MQSC_SCRIPT)
    assert errors == []
    assert headers == [{"header": "queue", "qmgr": "", "queue": "Q", "MaxQDepth": 7}]


def test_replies_of_the_command_server_of_zos_are_read(tmp_path: Path) -> None:
    text = (
        "CSQN205I   COUNT=       4, RETURN=00000000, REASON=00000000\n"
        "CSQM401I +CSQ1 QUEUE(Q1                      ) TYPE(  QLOCAL  ) QSGDISP(QMGR) DEFPRTY(         3)\n"
        "CSQM401I +CSQ1 QUEUE(Q2                      ) TYPE(  QLOCAL  ) QSGDISP(QMGR) MAXDEPTH(         7)\n"
        "CSQ9022I +CSQ1 CSQMDRTS ' DISPLAY QUEUE' NORMAL COMPLETION\n"
    )
    headers, errors = printed(tmp_path, text)
    assert errors == []
    assert headers == [
        {"header": "queue", "qmgr": "", "queue": "Q1", "DefPriority": 3},
        {"header": "queue", "qmgr": "", "queue": "Q2", "MaxQDepth": 7},
    ]


def test_a_command_for_a_name_that_no_queue_can_have_is_told_and_output_with_one_is_read(tmp_path: Path) -> None:
    text = f"DEFINE QLOCAL('A B') MAXDEPTH(7)\nDEFINE QLOCAL({'A' * 49})\nDEFINE QLOCAL(Q) MAXDEPTH(7)\n"
    headers, errors = printed(tmp_path, text, Format.MQSC_SCRIPT)
    assert [each["queue"] for each in headers] == ["Q"]
    assert [error.partition("mq.txt:")[2].partition(":")[0] for error in errors] == ["1", "2"]
    headers, errors = printed(tmp_path, mqsc({**QLOCAL, "QUEUE": "A B"}))
    assert ([each["queue"] for each in headers], errors) == (["A B"], [])


@pytest.mark.parametrize(
    "heading",
    [
        "MQSC für Warteschlangenmanager QM2 wird gestartet.",
        "Démarrage de MQSC pour le gestionnaire de files d'attente QM2.",
        "正在启动队列管理器 QM2 的 MQSC。",
    ],
)
def test_a_session_in_another_language_names_its_queue_manager_and_not_the_one_before(
    tmp_path: Path, heading: str
) -> None:
    session = mqsc(QLOCAL)
    copyright_line = "5724-H72 (C) Copyright IBM Corp. 1994, 2025."
    assert session.startswith(copyright_line)
    other = session.replace("Starting MQSC for queue manager QM1.", heading)
    headers, errors = printed(tmp_path, session + other)
    assert errors == []
    assert [each["qmgr"] for each in headers] == ["QM1", "QM2"]
    unclear = other.replace("QM2", "qm2")
    headers, _ = printed(tmp_path, session + unclear)
    assert [each["qmgr"] for each in headers] == ["QM1", ""]
