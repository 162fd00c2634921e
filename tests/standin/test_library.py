"""The shared library: a program in C, here one through ctypes, calls the oracle by the names of the MQI."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oracle.errors import UsageError
from oracle.mqi.connection_layouts import (
    MQBMHO,
    MQBO,
    MQCBC,
    MQCBD,
    MQCMHO,
    MQCNO,
    MQCSP,
    MQCTLO,
    MQDMHO,
    MQDMPO,
    MQIMPO,
    MQMHBO,
    MQPD,
    MQSMPO,
    NATIVE_POINTERS,
)
from oracle.mqi.constants import MQCC, MQGMO, MQOO, MQRC
from oracle.mqi.layouts import MQGMO as GMO
from oracle.mqi.layouts import MQMD, MQOD, MQPMO
from oracle.standin import library, verbs
from oracle.standin.options import INQUIRE_PROPERTY
from oracle.testing import QueueManager, StandInWarning, queue_manager
from tests.standin.conftest import pack, unpack

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="no C compiler for POSIX"
)

L = ctypes.c_int32
H = ctypes.c_int64


class Mqi:
    """Calls of the library; each returns completion code and reason."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))
        self.hconn = L(-1)

    def __call__(self, name: str, *parameters: object) -> tuple[int, int]:
        comp_code, reason = L(-5), L(-5)
        getattr(self._library, name)(*parameters, ctypes.byref(comp_code), ctypes.byref(reason))
        return comp_code.value, reason.value

    def connect(self) -> tuple[int, int]:
        return self("MQCONN", b"QM1".ljust(48), ctypes.byref(self.hconn))

    def open(self, name: str, options: int) -> int:
        hobj, od = L(-1), ctypes.create_string_buffer(pack(MQOD, Version=4, ObjectName=name))
        assert self("MQOPEN", self.hconn, od, options, ctypes.byref(hobj)) == OK
        return hobj.value


OK = (MQCC.OK, MQRC.NONE)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return library.serve(tmp_path_factory.mktemp("library"))


@pytest.fixture
def mqi(path: Path) -> Iterator[Mqi]:
    with queue_manager(["Q"]):
        calls = Mqi(path)
        assert calls.connect() == OK
        yield calls


def test_a_message_goes_through_the_library(mqi: Mqi) -> None:
    hobj = mqi.open("Q", MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.INQUIRE | MQOO.SET)
    md = ctypes.create_string_buffer(pack(MQMD, Version=2), 364)
    pmo = ctypes.create_string_buffer(pack(MQPMO, Version=3), 184)
    assert mqi("MQPUT", mqi.hconn, hobj, md, pmo, 5, b"hello") == OK
    assert unpack(MQMD, md.raw)["PutDate"] == "20240101"
    assert unpack(MQPMO, pmo.raw)["ResolvedQName"] == "Q"
    depth, name = (L * 1)(), ctypes.create_string_buffer(48)
    assert mqi("MQINQ", mqi.hconn, hobj, 2, (L * 2)(3, 2016), 1, depth, 48, name) == OK
    assert (depth[0], name.raw.rstrip()) == (1, b"Q")
    assert mqi("MQSET", mqi.hconn, hobj, 1, (L * 1)(10), 1, (L * 1)(1), 0, None) == OK
    assert mqi("MQPUT", mqi.hconn, hobj, md, pmo, 0, None) == (MQCC.FAILED, MQRC.PUT_INHIBITED)
    gmo = ctypes.create_string_buffer(pack(GMO, Version=4, Options=MQGMO.SYNCPOINT), 112)
    buffer, length = ctypes.create_string_buffer(10), L()
    assert mqi("MQGET", mqi.hconn, hobj, md, gmo, 10, buffer, ctypes.byref(length)) == OK
    assert (buffer.raw[: length.value], buffer.raw[5:]) == (b"hello", bytes(5))
    assert mqi("MQBACK", mqi.hconn) == OK
    assert mqi("MQGET", mqi.hconn, hobj, md, gmo, 10, buffer, ctypes.byref(length)) == OK
    assert unpack(MQMD, md.raw)["BackoutCount"] == 1
    assert mqi("MQCMIT", mqi.hconn) == OK
    length.value = 77
    none = mqi("MQGET", mqi.hconn, hobj, md, gmo, 10, buffer, ctypes.byref(length))
    assert (none, length.value) == ((MQCC.FAILED, MQRC.NO_MSG_AVAILABLE), 77)
    handle = L(hobj)
    assert mqi("MQCLOSE", mqi.hconn, ctypes.byref(handle), 0) == OK
    assert handle.value == -1
    assert mqi("MQDISC", ctypes.byref(mqi.hconn)) == OK
    assert mqi.hconn.value == -1


def test_put1_and_its_lengths(mqi: Mqi) -> None:
    od = ctypes.create_string_buffer(pack(MQOD, Version=3, ObjectName="Q"))
    md, pmo = ctypes.create_string_buffer(pack(MQMD)), ctypes.create_string_buffer(pack(MQPMO))
    assert mqi("MQPUT1", mqi.hconn, od, md, pmo, 1, b"x") == OK
    assert mqi("MQPUT1", mqi.hconn, od, md, pmo, -1, b"x") == (MQCC.FAILED, MQRC.BUFFER_LENGTH_ERROR)
    assert mqi("MQPUT1", mqi.hconn, None, md, pmo, 1, b"x") == (MQCC.FAILED, MQRC.OD_ERROR)


def test_connecting_with_options_returns_an_identifier(mqi: Mqi) -> None:
    hconn, cno = L(), ctypes.create_string_buffer(pack(MQCNO, Version=5, Options=64))
    assert mqi("MQCONNX", b"QM1", cno, ctypes.byref(hconn)) == OK
    assert hconn.value not in (-1, mqi.hconn.value)
    assert int(str(unpack(MQCNO, cno.raw)["ConnectionId"]), 16) != 0
    assert mqi("MQCONNX", b"QM2", cno, ctypes.byref(hconn)) == (MQCC.FAILED, MQRC.Q_MGR_NAME_ERROR)
    assert hconn.value == -1


def test_credentials_are_read_through_their_pointers(path: Path) -> None:
    user, password = ctypes.create_string_buffer(b"app"), ctypes.create_string_buffer(b"secret")
    hconn = L()
    with queue_manager(credentials={"app": "secret"}):
        calls = Mqi(path)
        for length, codes in ((6, OK), (5, (MQCC.FAILED, MQRC.NOT_AUTHORIZED))):
            csp = ctypes.create_string_buffer(
                pack(
                    MQCSP,
                    AuthenticationType=1,
                    CSPUserIdPtr=ctypes.addressof(user),
                    CSPUserIdLength=3,
                    CSPPasswordPtr=ctypes.addressof(password),
                    CSPPasswordLength=length,
                )
            )
            cno = ctypes.create_string_buffer(pack(MQCNO, Version=5, SecurityParmsPtr=ctypes.addressof(csp)))
            assert calls("MQCONNX", b"QM1", cno, ctypes.byref(hconn)) == codes


def _charv(buffer: ctypes.Array[ctypes.c_char], length: int) -> bytes:
    return library.MQCHARV.pack(ctypes.addressof(buffer), 0, len(buffer), length, 1208)


def test_message_handles(mqi: Mqi) -> None:
    handle = H()
    name = ctypes.create_string_buffer(b"colour")
    assert mqi("MQCRTMH", mqi.hconn, pack(MQCMHO), ctypes.byref(handle)) == OK
    assert mqi("MQSETMP", mqi.hconn, handle, pack(MQSMPO), _charv(name, 6), pack(MQPD), 1024, 4, b"blue") == OK
    kind, length, value = L(), L(), ctypes.create_string_buffer(10)
    returned = ctypes.create_string_buffer(20)
    inquire = {"ReturnedName.VSPtr": ctypes.addressof(returned), "ReturnedName.VSBufSize": 20}
    impo = ctypes.create_string_buffer(pack(MQIMPO, **inquire))
    some = ctypes.create_string_buffer(b"%")
    found = ("MQINQMP", mqi.hconn, handle, impo, _charv(some, 1), pack(MQPD), ctypes.byref(kind))
    assert mqi(*found, 10, value, ctypes.byref(length)) == OK
    assert (kind.value, value.raw[: length.value], returned.value) == (1024, b"blue", b"colour")
    assert unpack(MQIMPO, impo.raw)["ReturnedName.VSLength"] == 6
    assert mqi(*found, 2, value, ctypes.byref(length)) == (MQCC.FAILED, MQRC.PROPERTY_VALUE_TOO_BIG)
    under = pack(MQIMPO, Options=INQUIRE_PROPERTY["INQ_PROP_UNDER_CURSOR"].value)
    again = ("MQINQMP", mqi.hconn, handle, under, _charv(some, 1), pack(MQPD), ctypes.byref(kind))
    assert mqi(*again, 4, value, ctypes.byref(length)) == OK
    assert value.raw[: length.value] == b"blue"
    value.raw, length.value = bytes(10), 0
    only = pack(MQIMPO, Options=INQUIRE_PROPERTY["QUERY_LENGTH"].value)
    asked = ("MQINQMP", mqi.hconn, handle, only, _charv(some, 1), pack(MQPD), ctypes.byref(kind))
    assert mqi(*asked, 0, value, ctypes.byref(length)) == OK
    assert (value.raw, length.value) == (bytes(10), 4)
    assert mqi("MQDLTMP", mqi.hconn, handle, pack(MQDMPO), _charv(name, 6)) == OK
    assert mqi(*found, 10, value, ctypes.byref(length)) == (MQCC.FAILED, MQRC.PROPERTY_NOT_AVAILABLE)
    assert mqi("MQDLTMH", mqi.hconn, ctypes.byref(handle), pack(MQDMHO)) == OK
    assert handle.value == -1


def test_properties_go_into_a_buffer_and_back(mqi: Mqi) -> None:
    one, other = H(), H()
    for handle in (one, other):
        assert mqi("MQCRTMH", mqi.hconn, pack(MQCMHO), ctypes.byref(handle)) == OK
    colour, all_of_them = ctypes.create_string_buffer(b"colour"), ctypes.create_string_buffer(b"%")
    assert mqi("MQSETMP", mqi.hconn, one, pack(MQSMPO), _charv(colour, 6), pack(MQPD), 1024, 4, b"blue") == OK
    md, buffer, length = ctypes.create_string_buffer(pack(MQMD, Format="MQSTR")), ctypes.create_string_buffer(200), L()
    every = _charv(all_of_them, 1)
    to_buffer = ("MQMHBUF", mqi.hconn, one, pack(MQMHBO, Options=1 | 2), every, md)
    assert mqi(*to_buffer, 9, buffer, ctypes.byref(length)) == (MQCC.FAILED, MQRC.PROPERTY_VALUE_TOO_BIG)
    assert length.value > 9
    assert mqi(*to_buffer, 200, buffer, ctypes.byref(length)) == OK
    assert unpack(MQMD, md.raw)["Format"] == "MQHRF2"
    assert mqi(*to_buffer, 200, buffer, ctypes.byref(length)) == (MQCC.FAILED, MQRC.PROPERTY_NOT_AVAILABLE)
    data = ctypes.create_string_buffer(buffer.raw[: length.value] + b"body")
    whole = length.value + 4
    assert mqi("MQBUFMH", mqi.hconn, other, pack(MQBMHO), md, whole, data, ctypes.byref(length)) == OK
    assert (data.raw[: length.value], unpack(MQMD, md.raw)["Format"]) == (b"body", "MQSTR")
    kind, value = L(), ctypes.create_string_buffer(10)
    inquire = ("MQINQMP", mqi.hconn, other, pack(MQIMPO), _charv(colour, 6), pack(MQPD), ctypes.byref(kind))
    assert mqi(*inquire, 10, value, ctypes.byref(length)) == OK
    assert value.raw[: length.value] == b"blue"


Cb = ctypes.CFUNCTYPE(None, L, *[ctypes.c_void_p] * 4)
"""A function of a program in C that MQCB registers."""


def test_a_function_in_c_is_called_back(path: Path) -> None:
    with queue_manager(["Q"]) as qm:
        mqi = Mqi(path)
        assert mqi.connect() == OK
        _is_called_back(qm, mqi)


def _is_called_back(qm: QueueManager, mqi: Mqi) -> None:
    seen: list[object] = []

    def consume(hconn: int, md: int | None, gmo: int | None, data: int | None, cbc: int) -> None:
        context = unpack(MQCBC, ctypes.string_at(cbc, MQCBC.length(2, NATIVE_POINTERS)))
        names = ("CallType", "Hobj", "CallbackArea", "ConnectionArea", "DataLength")
        seen.append((hconn, *[context[each] for each in names]))
        if md and gmo and data:
            seen.append(unpack(MQMD, ctypes.string_at(md, MQMD.length(2, NATIVE_POINTERS)))["Format"])
            seen.append(ctypes.string_at(data, int(context["BufferLength"])))
            assert ctypes.string_at(gmo, 4) == b"GMO "

    function = Cb(consume)
    hobj = mqi.open("Q", MQOO.INPUT_SHARED | MQOO.OUTPUT)
    put = ("MQPUT", mqi.hconn, hobj, pack(MQMD, Format="MQSTR", Version=2), pack(MQPMO), 5, b"hello")
    assert mqi(*put) == OK
    cbd = pack(MQCBD, CallbackFunction=ctypes.cast(function, ctypes.c_void_p).value, CallbackArea=7, Options=1)
    md, gmo = pack(MQMD, Version=2), pack(GMO, Version=4)
    assert mqi("MQCB", mqi.hconn, 256, cbd, hobj, md, gmo) == OK
    assert mqi("MQCTL", mqi.hconn, 1, pack(MQCTLO, ConnectionArea=9)) == OK
    qm.until_waiting()
    assert mqi("MQCMIT", mqi.hconn) == (MQCC.FAILED, MQRC.HCONN_ASYNC_ACTIVE)
    assert mqi("MQCTL", mqi.hconn, 4, pack(MQCTLO)) == OK
    assert mqi("MQCB", mqi.hconn, 512, None, hobj, None, None) == OK
    assert seen == [
        (mqi.hconn.value, 1, hobj, 7, 9, 0),
        (mqi.hconn.value, 6, hobj, 7, 9, 5),
        "MQSTR",
        b"hello",
    ]


@pytest.mark.parametrize(
    ("cbd", "reason"),
    [
        (None, MQRC.CBD_ERROR),
        (pack(MQCBD), MQRC.CALLBACK_ROUTINE_ERROR),
        (pack(MQCBD, CallbackFunction=1, CallbackName="library(function)"), MQRC.CALLBACK_ROUTINE_ERROR),
        (bytes(200), MQRC.CBD_ERROR),
        (pack(MQCBD, CallbackFunction=1, CallbackType=9), MQRC.CALLBACK_TYPE_ERROR),
    ],
)
def test_a_callback_without_a_function_of_its_own_is_refused(mqi: Mqi, cbd: bytes | None, reason: int) -> None:
    hobj = mqi.open("Q", MQOO.INPUT_SHARED)
    assert mqi("MQCB", mqi.hconn, 256, cbd, hobj, None, None) == (MQCC.FAILED, reason)


def test_a_callback_by_its_name_is_refused_by_name(mqi: Mqi) -> None:
    hobj = mqi.open("Q", MQOO.INPUT_SHARED)
    with pytest.warns(StandInWarning, match="CallbackName"):
        codes = mqi("MQCB", mqi.hconn, 256, pack(MQCBD, CallbackName="library(function)"), hobj, None, None)
    assert codes == (MQCC.FAILED, MQRC.FUNCTION_NOT_SUPPORTED)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("MQBEGIN", (pack(MQBO),)),
        ("MQSUB", (None, None, None)),
        ("MQSUBRQ", (0, 0, None)),
        ("MQSTAT", (0, None)),
    ],
)
def test_other_verbs_are_refused(mqi: Mqi, name: str, parameters: tuple[object, ...]) -> None:
    with pytest.warns(StandInWarning, match=name):
        assert mqi(name, mqi.hconn, *parameters) == (MQCC.FAILED, MQRC.FUNCTION_NOT_SUPPORTED)


def test_an_error_of_ours_does_not_pass_through_c(
    mqi: Mqi, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks(hconn: int) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(verbs, "commit", breaks)
    assert mqi("MQCMIT", mqi.hconn) == (MQCC.FAILED, MQRC.UNEXPECTED_ERROR)
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_after_the_block_there_is_no_queue_manager(path: Path) -> None:
    calls = Mqi(path)
    assert calls.connect() == (MQCC.FAILED, MQRC.Q_MGR_NOT_AVAILABLE)
    assert calls("MQCMIT", 7) == (MQCC.FAILED, MQRC.HCONN_ERROR)


def test_a_library_that_nobody_serves_answers_too(path: Path) -> None:
    code = (
        "import ctypes, sys; library = ctypes.CDLL(sys.argv[1]); a = [ctypes.c_int32() for _ in range(3)]\n"
        "library.MQCONN(b'', *map(ctypes.byref, a)); print(a[1].value, a[2].value)\n"
        "library.MQCMIT(1, *map(ctypes.byref, a[1:])); print(a[1].value, a[2].value)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "2059", "2", "2018"]


def test_the_library_is_compiled_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert library.build(path.parents[1]) == path


def test_without_a_compiler_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(UsageError, match="no C compiler"):
        library.build(tmp_path)


def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="could not be written"):
        library.build(tmp_path / "file")
