"""The C interface of the MQI: the search for the client's library, and one method for each verb.

Structures, names and data are bytes as C has them, in and out; nothing is interpreted, repeated or repaired here.
Each method returns what the call returned, its completion code and reason last.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from ctypes import byref, c_int32, create_string_buffer
from pathlib import Path
from typing import Any, Final

NAMES: Final = {
    "win32": ("mqm.dll", "mqic.dll"),
    "darwin": ("libmqm_r.dylib", "libmqic_r.dylib"),
    "linux": ("libmqm_r.so", "libmqic_r.so"),
}
"""The names of the library, by platform; the first one serves local queue managers and clients."""

UNUSABLE: Final = -1
"""MQHC_UNUSABLE_HCONN and MQHO_UNUSABLE_HOBJ."""

UNTOUCHED: Final = -1
"""DataLength of an MQGET that does not set it."""

_VERBS: Final = (
    "MQCONNX", "MQDISC", "MQOPEN", "MQCLOSE", "MQPUT", "MQPUT1", "MQGET", "MQCMIT", "MQBACK", "MQINQ", "MQSET",
)  # fmt: skip  # names


class LibraryError(Exception):
    """The library cannot be used; the message says what to do."""


class Library:
    """The loaded library.

    `path` names it or its folder; without it the usual places are searched. Raises LibraryError if there is none, or if
    the file is not such a library.
    """

    def __init__(self, path: str = "") -> None:
        self._mqi = _load(path)

    def connect(self, name: bytes, options: bytes) -> tuple[int, bytes, int, int]:
        """Call MQCONNX, and return the handle and the changed MQCNO."""
        hconn, cno = c_int32(UNUSABLE), create_string_buffer(options, len(options))
        codes = self._call("MQCONNX", create_string_buffer(name, len(name)), cno, byref(hconn))
        return hconn.value, cno.raw, *codes

    def disconnect(self, hconn: int) -> tuple[int, int, int]:
        """Call MQDISC, and return the changed handle."""
        handle = c_int32(hconn)
        codes = self._call("MQDISC", byref(handle))
        return handle.value, *codes

    def open(self, hconn: int, od: bytes, options: int) -> tuple[int, bytes, int, int]:
        """Call MQOPEN, and return the handle and the changed MQOD."""
        hobj, descriptor = c_int32(UNUSABLE), create_string_buffer(od, len(od))
        codes = self._call("MQOPEN", c_int32(hconn), descriptor, c_int32(options), byref(hobj))
        return hobj.value, descriptor.raw, *codes

    def close(self, hconn: int, hobj: int, options: int) -> tuple[int, int]:
        """Call MQCLOSE."""
        return self._call("MQCLOSE", c_int32(hconn), byref(c_int32(hobj)), c_int32(options))

    def put(self, hconn: int, hobj: int, md: bytes, pmo: bytes, data: bytes) -> tuple[bytes, bytes, int, int]:
        """Call MQPUT, and return the changed MQMD and MQPMO."""
        return self._put("MQPUT", (c_int32(hconn), c_int32(hobj)), md, pmo, data)

    def put1(self, hconn: int, od: bytes, md: bytes, pmo: bytes, data: bytes) -> tuple[bytes, bytes, int, int]:
        """Call MQPUT1, and return the changed MQMD and MQPMO."""
        return self._put("MQPUT1", (c_int32(hconn), create_string_buffer(od, len(od))), md, pmo, data)

    def get(
        self, hconn: int, hobj: int, md: bytes, gmo: bytes, buffer_length: int
    ) -> tuple[bytes, bytes, bytes, int, int, int, int]:
        """Call MQGET, and return MQMD, MQGMO, the buffer, DataLength, and the duration in milliseconds."""
        descriptor, options = create_string_buffer(md, len(md)), create_string_buffer(gmo, len(gmo))
        buffer, data_length = create_string_buffer(max(1, buffer_length)), c_int32(UNTOUCHED)
        began = time.monotonic()
        codes = self._call(
            "MQGET",
            c_int32(hconn),
            c_int32(hobj),
            descriptor,
            options,
            c_int32(buffer_length),
            buffer,
            byref(data_length),
        )
        took = int((time.monotonic() - began) * 1000)
        filled = buffer.raw[: max(0, min(buffer_length, data_length.value))]
        return descriptor.raw, options.raw, filled, data_length.value, took, *codes

    def commit(self, hconn: int) -> tuple[int, int]:
        """Call MQCMIT."""
        return self._call("MQCMIT", c_int32(hconn))

    def back(self, hconn: int) -> tuple[int, int]:
        """Call MQBACK."""
        return self._call("MQBACK", c_int32(hconn))

    def inquire(
        self, hconn: int, hobj: int, selectors: Sequence[int], integers: int, characters: int
    ) -> tuple[list[int], bytes, int, int]:
        """Call MQINQ for a number of integers and characters, and return the values."""
        numbers, text = (c_int32 * max(1, integers))(), create_string_buffer(max(1, characters))
        codes = self._call(
            "MQINQ",
            c_int32(hconn),
            c_int32(hobj),
            c_int32(len(selectors)),
            _longs(selectors),
            c_int32(integers),
            numbers,
            c_int32(characters),
            text,
        )
        return list(numbers)[:integers], text.raw[:characters], *codes

    def set(
        self, hconn: int, hobj: int, selectors: Sequence[int], integers: Sequence[int], characters: bytes
    ) -> tuple[int, int]:
        """Call MQSET."""
        return self._call(
            "MQSET",
            c_int32(hconn),
            c_int32(hobj),
            c_int32(len(selectors)),
            _longs(selectors),
            c_int32(len(integers)),
            _longs(integers),
            c_int32(len(characters)),
            create_string_buffer(characters, len(characters) or 1),
        )

    def _put(
        self, verb: str, where: tuple[Any, ...], md: bytes, pmo: bytes, data: bytes
    ) -> tuple[bytes, bytes, int, int]:
        descriptor, options = create_string_buffer(md, len(md)), create_string_buffer(pmo, len(pmo))
        buffer = create_string_buffer(data, len(data) or 1)
        codes = self._call(verb, *where, descriptor, options, c_int32(len(data)), buffer)
        return descriptor.raw, options.raw, *codes

    def _call(self, verb: str, *arguments: Any) -> tuple[int, int]:
        comp_code, reason = c_int32(0), c_int32(0)
        getattr(self._mqi, verb)(*arguments, byref(comp_code), byref(reason))
        return comp_code.value, reason.value


def _longs(values: Sequence[int]) -> Any:
    return (c_int32 * max(1, len(values)))(*values)


def _load(path: str) -> ctypes.CDLL:
    tried = tuple(dict.fromkeys(_candidates(path)))
    for candidate in tried:
        loaded = _opened(candidate, wanted=bool(path))
        if loaded is not None:
            return _checked(loaded, candidate)
    raise LibraryError(
        f"no MQ client library was found ({', '.join(tried)}): install the IBM MQ client, or say with --library where "
        "it is"
    )


def _opened(candidate: str, *, wanted: bool) -> ctypes.CDLL | None:
    """Return a library; None if it does not exist and was not named."""
    try:
        return ctypes.CDLL(candidate)
    except OSError as error:
        if wanted or Path(candidate).is_file():
            raise LibraryError(_why(candidate, str(error))) from error
    return None


def _checked(loaded: ctypes.CDLL, path: str) -> ctypes.CDLL:
    for verb in _VERBS:
        if not hasattr(loaded, verb):
            raise LibraryError(
                f"{path} is not an MQ client library: it has no {verb}; --library wants libmqm_r or libmqic_r"
            )
    return loaded


def _candidates(path: str) -> Iterator[str]:
    """Yield the possible paths of the library; a bare name is searched for as the system does."""
    names = NAMES.get(sys.platform, NAMES["linux"])
    if path:
        here = [Path(path) / name for name in names]
        yield from (str(each) for each in here if each.exists())
        yield from () if any(each.exists() for each in here) else (path,)
        return
    homes = [os.environ.get(name) for name in ("MQ_INSTALLATION_PATH", "MQ_FILE_PATH")]
    for name in names:
        yield name
        for home in (*homes, "/opt/mqm"):
            yield from (str(Path(home) / folder / name) for folder in _FOLDERS[_bits()]) if home else ()


_FOLDERS: Final = {64: ("bin64", "lib64"), 32: ("bin", "lib")}


def _bits() -> int:
    return 8 * struct.calcsize("P")


def _why(path: str, text: str) -> str:
    """Return the reason why a library does not load, and what to do."""
    if "wrong ELF class" in text or "not a valid Win32 application" in text or "wrong architecture" in text:
        folder = _FOLDERS[_bits()][1]
        return f"{path} is not of {_bits()} bits as this Python is: give the library in the client's folder {folder}"
    if not Path(path).exists():
        return f"--library {path}: there is no such file; give the path of libmqm_r or libmqic_r, or their folder"
    if Path(path).is_dir():
        return f"--library {path}: the folder has neither {' nor '.join(NAMES.get(sys.platform, NAMES['linux']))}"
    return f"{path} cannot be loaded: {text}"
