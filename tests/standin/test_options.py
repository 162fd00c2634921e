"""No option is ignored silently: every one has its line in the table, and the table takes effect."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

from oracle.mqi import constants
from oracle.mqi.connection_layouts import MQCMHO, MQCNO, MQCSP, MQDMPO, MQIMPO, MQPD, MQSMPO
from oracle.mqi.constants import MQCC, MQOO, MQPMO, MQRC
from oracle.mqi.layouts import MQOD
from oracle.mqi.layouts import MQPMO as PMO
from oracle.standin import connections, extension, options, verbs
from oracle.standin.options import Option, Treatment
from oracle.standin.warning import StandInWarning
from oracle.testing import QueueManager
from tests.standin.conftest import Program, pack, unpack

PAGE = Path(__file__).parents[2] / "docs" / "unit-tests.md"
NOTED = " ".join(line.split("|")[1] for line in PAGE.read_text().splitlines() if line.startswith("|"))
"""The first cells of the rows on the page."""

NO_OPTIONS = ("STRUC_ID", "VERSION", "CURRENT", "LENGTH")
"""How the names of constants begin that have an option's prefix and are none."""

GROUPS = ("MQOO", "MQCO", "MQPMO", "MQGMO", "MQMO", "MQRO", "MQMF")


@pytest.mark.parametrize("prefix", GROUPS)
def test_every_option_of_ours_has_its_line(prefix: str) -> None:
    table = options.EVERY[prefix]
    of_ours = getattr(constants, prefix).members()
    assert {name: table[name].value for name in of_ours if name in table} == of_ours


@pytest.mark.parametrize("prefix", options.EVERY)
def test_every_option_of_the_client_has_its_line(prefix: str) -> None:
    header = vars(pytest.importorskip("ibmmq").CMQC)
    named = {name.removeprefix(f"{prefix}_"): value for name, value in header.items() if name.startswith(f"{prefix}_")}
    in_header = {name: value for name, value in named.items() if not name.startswith(NO_OPTIONS)}
    assert in_header
    assert {name: each.value for name, each in options.EVERY[prefix].items()} == in_header


def test_what_is_noted_is_on_the_page() -> None:
    noted = [
        f"{prefix}_{name}"
        for prefix, table in options.EVERY.items()
        for name, option in table.items()
        if option.treatment is Treatment.NOTED
    ]
    assert noted
    assert [name for name in noted if f"`{name}`" not in NOTED] == []


def test_what_is_refused_or_warned_of_says_why() -> None:
    for table in options.EVERY.values():
        for option in table.values():
            assert bool(option.why) == (option.treatment in (Treatment.REFUSED, Treatment.WARNED))


def _calls(program: Program) -> dict[str, Callable[[int], tuple[int, int]]]:
    """Return, by the prefix of its options, a call with them, which returns its codes."""

    def put(**members: int) -> tuple[int, int]:
        program.put(program.open("Q", MQOO.OUTPUT), b"", members)
        return program.codes

    def get(value: int) -> tuple[int, int]:
        program.get(program.open("Q", MQOO.INPUT_SHARED | MQOO.BROWSE), {"Options": value})
        return program.codes

    def close(value: int) -> tuple[int, int]:
        answer = verbs.close(program.hconn, program.open("Q", MQOO.OUTPUT), value)
        return answer.comp_code, answer.reason

    def connect(value: int) -> tuple[int, int]:
        return Program.connected(cno=pack(MQCNO, Version=1, Options=value)).codes

    hconn, hmsg = program.hconn, extension.MQCRTMH(program.hconn, pack(MQCMHO))[0]

    def set_property(value: int) -> tuple[int, int]:
        return extension.MQSETMP(hconn, hmsg, pack(MQSMPO, Options=value), b"a", pack(MQPD), 1024, b"v", 1)

    def inquire_property(value: int) -> tuple[int, int]:
        set_property(0)
        return extension.MQINQMP(hconn, hmsg, pack(MQIMPO, Options=value), b"a", pack(MQPD), 1024, 9)[3:]

    def delete_property(value: int) -> tuple[int, int]:
        set_property(0)
        return extension.MQDLTMP(hconn, hmsg, pack(MQDMPO, Options=value), b"a")

    return {
        "MQPMO": lambda value: put(Options=value),
        "MQACTP": lambda value: put(Action=value),
        "MQGMO": get,
        "MQCO": close,
        "MQCNO": connect,
        "MQCMHO": lambda value: extension.MQCRTMH(hconn, pack(MQCMHO, Options=value))[1:],
        "MQSMPO": set_property,
        "MQIMPO": inquire_property,
        "MQDMPO": delete_property,
    }


def _of(treatment: Treatment) -> list[tuple[str, str, Option]]:
    return [
        (prefix, name, option)
        for prefix, table in options.EVERY.items()
        for name, option in table.items()
        if option.treatment is treatment and name != "PUB_OPTIONS_MASK"
    ]


@pytest.mark.parametrize(("prefix", "name", "option"), _of(Treatment.REFUSED))
def test_what_is_refused_is_refused_by_name(program: Program, prefix: str, name: str, option: Option) -> None:
    with pytest.warns(StandInWarning, match=f"2298.*{prefix}_{name}"):
        assert _calls(program)[prefix](option.value) == (MQCC.FAILED, MQRC.FUNCTION_NOT_SUPPORTED)


@pytest.mark.parametrize(("prefix", "name", "option"), _of(Treatment.WARNED))
def test_what_has_no_effect_is_warned_of(program: Program, prefix: str, name: str, option: Option) -> None:
    with pytest.warns(StandInWarning, match=f"{prefix}_{name} has no effect"):
        assert _calls(program)[prefix](option.value) == (MQCC.OK, MQRC.NONE)


def test_where_warnings_are_errors_a_call_ends_all_the_same(
    program: Program, capsys: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", _raise)
        program.put(program.open("Q", MQOO.OUTPUT), b"", {"Options": MQPMO.RETAIN})
    assert program.codes == (MQCC.FAILED, MQRC.FUNCTION_NOT_SUPPORTED)
    assert "MQPMO_RETAIN" in capsys.readouterr().out
    assert len(recwarn) == 0


def _raise(text: str, kind: type[Warning], stacklevel: int) -> None:
    del stacklevel
    raise kind(text)


@pytest.mark.parametrize("name", options.VERBS_REFUSED)
def test_verbs_are_refused_whatever_their_options(program: Program, name: str) -> None:
    function = extension.functions()[name]
    rest = [b"" if each.annotation == "bytes" else 0 for each in list(inspect.signature(function).parameters.values())]
    instead = {"MQBEGIN": "MQCMIT and MQBACK", "MQSTAT": "the put's own reason code"}.get(name, "QueueManager.put")
    with pytest.warns(StandInWarning, match=f"2298.*{name} is not modelled.*{instead}"):
        answer = function(program.hconn, *rest[1:])
    assert answer[-1] == MQRC.FUNCTION_NOT_SUPPORTED
    assert function(999999, *rest[1:])[-1] == MQRC.HCONN_ERROR


def test_topics_are_refused_with_what_to_do(program: Program) -> None:
    with pytest.warns(StandInWarning, match=r"topics are not modelled.*QueueManager\.put"):
        program.open("T", MQOO.OUTPUT, ObjectType=8)
    assert program.codes == (MQCC.FAILED, MQRC.FUNCTION_NOT_SUPPORTED)


def test_members_that_ask_for_more(program: Program) -> None:
    hobj = program.open("Q", MQOO.OUTPUT)
    for member, told in (("RecsPresent", "distribution lists"), ("NewMsgHandle", "MQPMO.NewMsgHandle")):
        with pytest.warns(StandInWarning, match=told):
            program.put(hobj, b"", {member: 1})
        assert program.codes == (MQCC.FAILED, MQRC.FUNCTION_NOT_SUPPORTED)
    with pytest.warns(StandInWarning, match="AuthenticationType 2"):
        assert Program.connected(csp=pack(MQCSP, Version=1, AuthenticationType=2)).last.reason == 2298
    hmsg = extension.MQCRTMH(program.hconn, pack(MQCMHO))[0]
    pd = pack(MQPD, CopyOptions=1)
    with pytest.warns(StandInWarning, match="CopyOptions of an MQPD"):
        assert extension.MQSETMP(program.hconn, hmsg, pack(MQSMPO), b"a", pd, 1024, b"v", 1) == (MQCC.OK, MQRC.NONE)


def test_values_of_properties_in_another_form(program: Program) -> None:
    hmsg = extension.MQCRTMH(program.hconn, pack(MQCMHO))[0]
    for wrong in ({"ValueCCSID": 500}, {"ValueEncoding": 785}):
        with pytest.warns(StandInWarning, match="2298.*MQSMPO with the encoding"):
            codes = extension.MQSETMP(program.hconn, hmsg, pack(MQSMPO, **wrong), b"a", pack(MQPD), 1024, b"v", 1)
        assert codes == (MQCC.FAILED, MQRC.FUNCTION_NOT_SUPPORTED)
    with pytest.warns(StandInWarning, match="2298.*MQIMPO with the encoding"):
        extension.MQINQMP(program.hconn, hmsg, pack(MQIMPO, RequestedCCSID=500), b"a", pack(MQPD), 1024, 9)


def test_opening_the_queue_manager_while_it_quiesces(qm: QueueManager, program: Program) -> None:
    qm.quiesce()
    for value, reason in ((MQOO.INQUIRE, MQRC.NONE), (MQOO.INQUIRE | MQOO.FAIL_IF_QUIESCING, MQRC.Q_MGR_QUIESCING)):
        program.open("", value, ObjectType=5)
        assert program.last.reason == reason


@pytest.mark.parametrize("wrong", [32 | 64, 64 | 128, 16777216 | 67108864, 1 << 30])
def test_connecting_with_options_that_cannot_be(qm: QueueManager, wrong: int) -> None:
    assert Program.connected(cno=pack(MQCNO, Version=1, Options=wrong)).last.reason == MQRC.OPTIONS_ERROR


def test_closing_with_an_option_that_there_is_not(program: Program) -> None:
    hobj = program.open("Q", MQOO.OUTPUT)
    assert verbs.close(program.hconn, hobj, 1 << 20).reason == MQRC.OPTIONS_ERROR
    assert verbs.close(program.hconn, hobj, 0).reason == MQRC.NONE


def test_a_broken_connection_is_not_made_again_without_a_word(qm: QueueManager) -> None:
    for value, told in ((options.CONNECT["RECONNECT"].value, 1), (options.CONNECT["RECONNECT_DISABLED"].value, 0)):
        program = Program.connected(cno=pack(MQCNO, Version=1, Options=value | connections.SHARE_BLOCK))
        with pytest.WarningsRecorder(_ispytest=True) as said:
            connections.fail(program.hconn)
        assert ["MQCNO_RECONNECT" in str(each.message) for each in said] == [True] * told


def test_the_local_queue_on_the_way_is_named_on_request(qm: QueueManager, program: Program) -> None:
    qm.define("XMIT", Usage="TRANSMISSION")
    qm.define("REMOTE", type="remote", RemoteQName="THERE", RemoteQMgrName="QM2", XmitQName="XMIT")
    for local, names in ((False, ("THERE", "QM2")), (True, ("XMIT", "QM1"))):
        hobj = program.open("REMOTE", MQOO.OUTPUT | (MQOO.RESOLVE_LOCAL_Q if local else 0))
        od = unpack(MQOD, program.last.od)
        assert (od["ResolvedQName"], od["ResolvedQMgrName"]) == names
        program.put(hobj, b"", {"Options": MQPMO.RESOLVE_LOCAL_Q if local else 0})
        pmo = unpack(PMO, program.last.pmo)
        assert (pmo["ResolvedQName"], pmo["ResolvedQMgrName"]) == names


def test_the_table_is_that_of_the_module() -> None:
    module = importlib.import_module("oracle.standin.options")
    tables = [each for name, each in vars(module).items() if name.isupper() and isinstance(each, dict)]
    assert all(table in tables for table in options.EVERY.values())
