"""A shared library that replaces IBM's client library: it is compiled on demand, and the oracle performs its calls.

The library has the name (SONAME) libmqm_r.so. Once it is loaded, it satisfies every module of this process that was
linked to IBM's library, such as the extension of IBM's Python client. It is kept in a cache directory, by its source.
"""

from __future__ import annotations

import _thread
import atexit
import ctypes
import hashlib
import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from oracle.errors import NotModelledError, UsageError
from oracle.mqi.binary import NATIVE_64, Layout
from oracle.mqi.connection_layouts import MQCBD, MQCNO, MQCTLO, MQIMPO, MQPD, MQSMPO, NATIVE_ORDER, NATIVE_POINTERS
from oracle.mqi.constants import MQCC, MQRC
from oracle.mqi.layouts import MQGMO, MQMD, MQOD, MQPMO
from oracle.standin import attribute_verbs, callback_verbs, connections, message_handles, options, verbs
from oracle.standin.answers import UNUSABLE, Answer, Failed
from oracle.standin.c_functions import function_of
from oracle.standin.callbacks import Operation, Request
from oracle.standin.connecting import channel_of, security_of
from oracle.standin.memory import bytes_at, descriptor_changes, places, variable_string, written
from oracle.standin.warning import warn_of_refusal

FILE_NAME: Final = "libmqm_r.dylib" if sys.platform == "darwin" else "libmqm_r.so"

_SOURCE: Final = "libmqm_r.c"
_COMPILERS: Final = ("cc", "gcc", "clang")
MQCHARV: Final = struct.Struct("=Qiiii" if NATIVE_POINTERS == NATIVE_64 else "=Iiiii")
"""An MQCHARV: pointer, offset, size of the buffer, length and CCSID."""
_LONGEST_NAME: Final = 48
_OPTIONS: Final = 8
"""The offset of Options in the structures of options."""

_DELETE_FROM_BUFFER: Final = 1
_DELETE_FROM_HANDLE: Final = 2
_RETURNED_NAME: Final = places(MQIMPO, 1)["ReturnedName.VSPtr"][2]

Parameters = Sequence[int]


def build(directory: Path | None = None) -> Path:
    """Return the path of the library, which is compiled if it does not exist yet.

    Raises UsageError if there is no C compiler, if it fails, or if the directory cannot be written.
    """
    source = files("oracle.standin").joinpath(_SOURCE).read_bytes()
    key = hashlib.sha256(source + platform.platform().encode()).hexdigest()[:16]
    target = (directory or _cache()) / key / FILE_NAME
    if target.exists():
        return target
    compiler = next((found for name in _COMPILERS if (found := shutil.which(name))), None)
    if compiler is None:
        raise UsageError("there is no C compiler (cc, gcc, clang); use the stand-in without library=True")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as work:
            place = Path(work, _SOURCE)
            place.write_bytes(source)
            made = Path(work, FILE_NAME)
            command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(made), str(place), *_naming()]
            done = subprocess.run(command, capture_output=True, text=True, check=False)  # a compiler
            if done.returncode:
                raise UsageError(f"{compiler} could not compile {_SOURCE}: {done.stderr.strip()}")
            made.replace(target)
    except OSError as error:
        raise UsageError(f"the library could not be written to {target.parent}: {error.strerror}") from error
    return target


def _naming() -> tuple[str, ...]:
    return (f"-Wl,-install_name,{FILE_NAME}",) if sys.platform == "darwin" else (f"-Wl,-soname,{FILE_NAME}",)


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "mqoracle")


def serve(directory: Path | None = None) -> Path:
    """Load the library, let the oracle perform its calls, and return its path.

    Raises UsageError as `build` does, and if the library cannot be loaded.
    """
    path = build(directory)
    try:
        library = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise UsageError(f"{path} could not be loaded: {error}") from error
    library.mqoracle_register(_CALLBACK)
    # Objects that are left at the end of the process close and disconnect when Python cannot be called any more.
    atexit.register(library.mqoracle_register, None)
    return path


def _write(address: int, value: int, length: int = 4) -> None:
    ctypes.memmove(address, value.to_bytes(length, NATIVE_ORDER, signed=True), length)


def _read(address: int, length: int = 4) -> int:
    return int.from_bytes(ctypes.string_at(address, length), NATIVE_ORDER, signed=True)


def _copy(address: int, data: bytes | None) -> None:
    if address and data:
        ctypes.memmove(address, data, len(data))


def _structure(layout: Layout, address: int, reason: int) -> bytes:
    """Return a structure of the caller's.

    Raises Failed if there is none at the address.
    """
    if not address:
        raise Failed(reason)
    version = _read(address + 4)
    known = version if version in layout.versions else layout.versions[0]
    return ctypes.string_at(address, layout.length(known, NATIVE_POINTERS))


def _md(address: int) -> bytes:
    return _structure(MQMD, address, MQRC.MD_ERROR)


def _name(address: int) -> str:
    """Return a name of at most 48 characters, which a null may end."""
    name = b""
    while address and len(name) < _LONGEST_NAME and (here := ctypes.string_at(address + len(name), 1)) != b"\0":
        name += here
    return name.decode("latin-1").rstrip(" ")


def _conn(p: Parameters) -> Answer:
    return _connected(verbs.connect(_name(p[0])), p[1])


def _connx(p: Parameters) -> Answer:
    name = _name(p[0])
    if not p[1]:
        return _connected(verbs.connect(name), p[2])
    cno = _structure(MQCNO, p[1], MQRC.CNO_ERROR)
    answer = verbs.connect(name, cno, security_of(cno), channel_of(cno))
    if answer.data:
        _copy(p[1], written(MQCNO, cno, {"ConnectionId": answer.data}))
    return _connected(answer, p[2])


def _connected(answer: Answer, address: int) -> Answer:
    _write(address, answer.hconn)
    return answer


def _disc(p: Parameters) -> Answer:
    answer = verbs.disconnect(_read(p[0]))
    if answer.comp_code != MQCC.FAILED:
        _write(p[0], UNUSABLE)
    return answer


def _open(p: Parameters) -> Answer:
    answer = verbs.open_object(p[0], _structure(MQOD, p[1], MQRC.OD_ERROR), p[2])
    _copy(p[1], answer.od)
    _write(p[3], answer.hobj)
    return answer


def _close(p: Parameters) -> Answer:
    answer = verbs.close(p[0], _read(p[1]), p[2])
    if answer.comp_code != MQCC.FAILED:
        _write(p[1], UNUSABLE)
    return answer


def _put(p: Parameters) -> Answer:
    if p[4] < 0:
        raise Failed(MQRC.BUFFER_LENGTH_ERROR)
    answer = verbs.put(p[0], p[1], _md(p[2]), _structure(MQPMO, p[3], MQRC.PMO_ERROR), bytes_at(p[5], p[4]))
    _copy(p[2], answer.md)
    _copy(p[3], answer.pmo)
    return answer


def _put1(p: Parameters) -> Answer:
    if p[4] < 0:
        raise Failed(MQRC.BUFFER_LENGTH_ERROR)
    od, pmo = _structure(MQOD, p[1], MQRC.OD_ERROR), _structure(MQPMO, p[3], MQRC.PMO_ERROR)
    answer = verbs.put1(p[0], od, _md(p[2]), pmo, bytes_at(p[5], p[4]))
    _copy(p[1], answer.od)
    _copy(p[2], answer.md)
    _copy(p[3], answer.pmo)
    return answer


def _get(p: Parameters) -> Answer:
    answer = verbs.get(p[0], p[1], _md(p[2]), _structure(MQGMO, p[3], MQRC.GMO_ERROR), p[4])
    _copy(p[2], answer.md)
    _copy(p[3], answer.gmo)
    _copy(p[5], answer.data)
    if answer.data_length is not None:
        _write(p[6], answer.data_length)
    return answer


def _numbers(address: int, count: int) -> list[int]:
    return [_read(address + 4 * each) for each in range(count)] if address else []


def _inq(p: Parameters) -> Answer:
    answer = attribute_verbs.inquire(p[0], p[1], _numbers(p[3], p[2]), p[4], p[6])
    for place, number in enumerate(answer.numbers):
        _write(p[5] + 4 * place, number)
    _copy(p[7], answer.characters)
    return answer


def _set(p: Parameters) -> Answer:
    return attribute_verbs.set_attributes(p[0], p[1], _numbers(p[3], p[2]), _numbers(p[5], p[4]), bytes_at(p[7], p[6]))


def _property_name(address: int) -> str:
    pointer, offset, _, length, _ = MQCHARV.unpack(ctypes.string_at(address, MQCHARV.size))
    return variable_string(pointer, offset, length, address).decode("utf-8").rstrip(" \0")


def _options(prefix: str, address: int) -> int:
    """Return the options in a structure of the caller's; one that is refused ends the call."""
    return options.look_at_structure(prefix, bytes_at(address, _OPTIONS + 4))


def _crtmh(p: Parameters) -> Answer:
    _options("MQCMHO", p[1])
    _write(p[2], message_handles.create(p[0]), 8)
    return Answer()


def _dltmh(p: Parameters) -> Answer:
    message_handles.delete(p[0], _read(p[1], 8))
    _write(p[1], UNUSABLE, 8)
    return Answer()


def _setmp(p: Parameters) -> Answer:
    asked = _options("MQSMPO", p[2])
    options.look_at_form("MQSMPO", bytes_at(p[2], MQSMPO.length(1, NATIVE_POINTERS)))
    options.look_at_property(bytes_at(p[4], MQPD.length(1, NATIVE_POINTERS)))
    value = bytes_at(p[7], p[6]) if p[6] >= 0 else ctypes.string_at(p[7])
    handle = message_handles.find(p[0], p[1])
    handle.set(message_handles.meant(handle, _property_name(p[3]), asked), p[5], value)
    return Answer()


def _inqmp(p: Parameters) -> Answer:
    asked = _options("MQIMPO", p[2])
    options.look_at_form("MQIMPO", bytes_at(p[2], MQIMPO.length(1, NATIVE_POINTERS)))
    name, found = message_handles.inquired(message_handles.find(p[0], p[1]), _property_name(p[3]), asked)
    _write(p[5], found.kind)
    _write(p[8], len(found.value))
    if asked & options.INQUIRE_PROPERTY["QUERY_LENGTH"].value:
        _return_name(p[2] + _RETURNED_NAME, name, only_length=True)
        return Answer()
    _return_name(p[2] + _RETURNED_NAME, name)
    _copy(p[7], found.value[: max(0, p[6])])
    if len(found.value) > p[6]:
        raise Failed(MQRC.PROPERTY_VALUE_TOO_BIG)
    return Answer()


def _return_name(address: int, name: str, *, only_length: bool = False) -> None:
    """Write a name into an MQCHARV as far as its buffer allows, or only its length."""
    pointer, offset, room, _, _ = MQCHARV.unpack(ctypes.string_at(address, MQCHARV.size))
    text = name.encode("utf-8")[:room]
    if pointer:
        _copy(pointer, b"" if only_length else text)
        ctypes.memmove(address, MQCHARV.pack(pointer, offset, room, len(text), _UTF8), MQCHARV.size)


_UTF8: Final = 1208


def _dltmp(p: Parameters) -> Answer:
    asked = _options("MQDMPO", p[2])
    handle = message_handles.find(p[0], p[1])
    handle.delete(message_handles.meant(handle, _property_name(p[3]), asked))
    return Answer()


def _bufmh(p: Parameters) -> Answer:
    handle, md = message_handles.find(p[0], p[1]), _md(p[3])
    delete = bool(_read(p[2] + _OPTIONS) & _DELETE_FROM_BUFFER)
    before = verbs.descriptor_of(md)
    after, left = message_handles.from_buffer(handle, before, bytes_at(p[5], p[4]), delete=delete)
    _copy(p[3], written(MQMD, md, descriptor_changes(before, after)))
    _copy(p[5], left)
    _write(p[6], len(left))
    return Answer()


def _mhbuf(p: Parameters) -> Answer:
    handle, md = message_handles.find(p[0], p[1]), _md(p[4])
    before, name = verbs.descriptor_of(md), _property_name(p[3])
    after, header = message_handles.into_buffer(handle, name, before, delete=False)
    _write(p[7], len(header))
    if len(header) > p[5]:
        raise Failed(MQRC.PROPERTY_VALUE_TOO_BIG)
    if _read(p[2] + _OPTIONS) & _DELETE_FROM_HANDLE:
        message_handles.into_buffer(handle, name, before, delete=True)
    _copy(p[4], written(MQMD, md, descriptor_changes(before, after)))
    _copy(p[6], header)
    return Answer()


def _cb(p: Parameters) -> Answer:
    cbd = b"" if not p[1] & Operation.REGISTER else _structure(MQCBD, p[2], MQRC.CBD_ERROR)
    md = bytes_at(p[4], MQMD.length(_version(p[4], MQMD), NATIVE_POINTERS)) or _INITIAL_MD
    gmo = bytes_at(p[5], MQGMO.length(_version(p[5], MQGMO), NATIVE_POINTERS)) or _INITIAL_GMO
    return callback_verbs.manage_callback(p[0], p[1], Request(cbd, p[3], md, gmo, function_of(cbd)))


def _ctl(p: Parameters) -> Answer:
    return callback_verbs.control_callbacks(p[0], p[1], _structure(MQCTLO, p[2], MQRC.CTLO_ERROR))


def _version(address: int, layout: Layout) -> int:
    version = _read(address + 4) if address else 0
    return version if version in layout.versions else layout.versions[0]


_INITIAL_MD: Final = MQMD.encode({}, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)
_INITIAL_GMO: Final = MQGMO.encode({}, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)
"""The default MQGMO of MQCB: the options of an event handler are ignored."""


def _not_modelled(name: str) -> Callable[[Parameters], Answer]:
    def refuse(p: Parameters) -> Answer:
        connections.find(p[0])
        options.refuse(name)

    return refuse


_VERBS: Final[Sequence[tuple[Callable[[Parameters], Answer], int]]] = (
    (_conn, 2), (_connx, 3), (_disc, 1), (_open, 4), (_close, 3), (_put, 6), (_put1, 6), (_get, 7),
    (_not_modelled("MQBEGIN"), 2), (lambda p: verbs.commit(p[0]), 1), (lambda p: verbs.back(p[0]), 1),
    (_inq, 8), (_set, 8), (_not_modelled("MQSUB"), 4), (_not_modelled("MQSUBRQ"), 4), (_not_modelled("MQSTAT"), 3),
    (_cb, 6), (_ctl, 3), (_crtmh, 3), (_dltmh, 3), (_setmp, 8), (_inqmp, 9),
    (_dltmp, 4), (_bufmh, 7), (_mhbuf, 8),
)  # fmt: skip  # pairs
"""The function of each verb, in the order of the library's numbers, and the number of parameters before the codes."""


def _dispatch(number: int, parameters: Any) -> None:
    """Perform a call that comes through the library; nothing may be raised into C."""
    perform, count = _VERBS[number]
    p = parameters[: count + 2]
    try:
        answer = perform(p)
    except Failed as failed:
        answer = Answer(failed.comp_code, failed.reason)
    except NotModelledError as error:
        warn_of_refusal(str(error))
        answer = Answer(MQCC.FAILED, MQRC.FUNCTION_NOT_SUPPORTED)
    except KeyboardInterrupt:
        _thread.interrupt_main()
        answer = Answer(MQCC.FAILED, MQRC.CONNECTION_BROKEN)
    except Exception as error:  # noqa: BLE001 - C has no exceptions; the program learns that the library is broken
        print(f"mqoracle: the stand-in for libmqm_r is broken: {error!r}", file=sys.stderr)
        answer = Answer(MQCC.FAILED, MQRC.UNEXPECTED_ERROR)
    _write(p[count], int(answer.comp_code))
    _write(p[count + 1], int(answer.reason))


_CALLBACK: Final = ctypes.CFUNCTYPE(None, ctypes.c_int32, ctypes.POINTER(ctypes.c_int64))(_dispatch)
