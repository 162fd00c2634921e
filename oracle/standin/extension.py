"""The replacement of `ibmmqc`, the extension module of IBM's Python client.

IBM's package tries `ibmmq.ibmmqc`, which needs IBM's client library, and then a module `ibmmqc`. If the first one
cannot be loaded, `offer` lets the import system find this one; if it can, `take_the_place_of` replaces its functions
for a while. Outside of a running queue manager every MQCONN fails with MQRC_Q_MGR_NOT_AVAILABLE (2059).
"""

from __future__ import annotations

import importlib
import importlib.metadata
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

from oracle.errors import NotModelledError
from oracle.mqi.connection_layouts import MQCBC
from oracle.mqi.constants import MQCC, MQRC
from oracle.standin import attribute_verbs, callback_verbs, connections, message_handles, options, verbs
from oracle.standin.answers import Answer, Failed
from oracle.standin.callbacks import Request
from oracle.standin.memory import member, written
from oracle.standin.warning import warn_of_refusal

NAME: Final = "ibmmqc"

_PACKAGE: Final = "ibmmq"
_COMMAND_LEVEL: Final = 900
_PUBLIC: Final = "MQ"

_VERSIONS: Final = {
    "bno": 1, "cd": 12, "cfh": 3, "cmho": 1, "cno": 8, "csp": 3, "cbc": 2, "cbd": 1, "cih": 2, "ctlo": 1, "dlh": 1,
    "gmo": 4, "iih": 1, "impo": 1, "md": 2, "mde": 2, "od": 4, "pd": 1, "pmo": 3, "sco": 7, "sd": 1, "smpo": 1,
    "dmpo": 1, "dmho": 1, "sro": 1, "sts": 2, "tmc": 2, "tm": 1, "xqh": 1,
}  # fmt: skip  # pairs
"""The versions of structures that IBM's package is to pack."""

Text = str | bytes
Codes = tuple[int, int]


def _name(name: Text) -> str:
    text = name.decode("latin-1") if isinstance(name, bytes) else name
    return text.partition("\0")[0].rstrip(" ")


def _codes(answer: Answer) -> Codes:
    return int(answer.comp_code), int(answer.reason)


def MQLOGCF(_options: int, _file_name: str | None = None) -> tuple[int]:
    """Do nothing: the stand-in keeps no log."""
    return (0,)


def MQCONN(name: Text) -> tuple[int, int, int]:
    """Connect without options."""
    answer = verbs.connect(_name(name))
    return (answer.hconn, *_codes(answer))


def MQCONNX(
    name: Text, cno: bytes, cd: bytes | None, csp: bytes | None, sco: bytes | None, bno: bytes | None
) -> tuple[int, int, int]:
    """Connect with options; channel, TLS and balancing are ignored."""
    del sco, bno
    answer = verbs.connect(_name(name), cno, csp, cd)
    return (answer.hconn, *_codes(answer))


def MQDISC(hconn: int) -> Codes:
    """Disconnect."""
    return _codes(verbs.disconnect(hconn))


def MQOPEN(hconn: int, od: bytes, options: int) -> tuple[int, bytes, int, int]:
    """Open a queue or the queue manager."""
    answer = verbs.open_object(hconn, od, options)
    return (answer.hobj, answer.od or od, *_codes(answer))


def MQCLOSE(hconn: int, hobj: int, options: int) -> Codes:
    """Close an object."""
    return _codes(verbs.close(hconn, hobj, options))


def MQPUT(hconn: int, hobj: int, md: bytes, pmo: bytes, data: bytes) -> tuple[bytes, bytes, int, int]:
    """Put a message."""
    answer = verbs.put(hconn, hobj, md, pmo, _bytes(data))
    return (answer.md or md, answer.pmo or pmo, *_codes(answer))


def MQPUT1(hconn: int, od: bytes, md: bytes, pmo: bytes, data: bytes) -> tuple[bytes, bytes, int, int]:
    """Put one message."""
    answer = verbs.put1(hconn, od, md, pmo, _bytes(data))
    return (answer.md or md, answer.pmo or pmo, *_codes(answer))


def MQGET(hconn: int, hobj: int, md: bytes, gmo: bytes, length: int) -> tuple[bytes, bytes, bytes, int, int, int]:
    """Get a message."""
    answer = verbs.get(hconn, hobj, md, gmo, length)
    return (answer.data, answer.md or md, answer.gmo or gmo, answer.data_length or 0, *_codes(answer))


def MQBEGIN(hconn: int) -> Codes:
    """Refuse the call: no other resource takes part."""
    return _refused(hconn, "MQBEGIN")


def MQCMIT(hconn: int) -> Codes:
    """Commit."""
    return _codes(verbs.commit(hconn))


def MQBACK(hconn: int) -> Codes:
    """Back out."""
    return _codes(verbs.back(hconn))


def MQINQ(
    hconn: int, hobj: int, selectors: Sequence[int], found: list[int], numbers: int, texts: int, length: int
) -> tuple[list[int], bytes, int, int]:
    """Inquire attributes; numbers are appended to `found`."""
    del texts
    answer = attribute_verbs.inquire(hconn, hobj, selectors, numbers, length)
    if answer.comp_code == MQCC.OK:
        found.extend(answer.numbers)
    return (found, answer.characters.ljust(length, b"\0"), *_codes(answer))


def MQSET(hconn: int, hobj: int, selectors: Sequence[int], numbers: Sequence[int], texts: bytes) -> Codes:
    """Set attributes."""
    return _codes(attribute_verbs.set_attributes(hconn, hobj, selectors, numbers, texts))


def MQSUB(hconn: int, sd: bytes, hobj: int) -> tuple[bytes, int, int, int, int]:
    """Refuse the call: there is no publish/subscribe."""
    return (sd, hobj, 0, *_refused(hconn, "MQSUB"))


def MQSUBRQ(hconn: int, hsub: int, action: int, sro: bytes) -> tuple[bytes, int, int]:
    """Refuse the call: there is no publish/subscribe."""
    del hsub, action
    return (sro, *_refused(hconn, "MQSUBRQ"))


def MQSTAT(hconn: int, kind: int, sts: bytes) -> tuple[bytes, int, int]:
    """Refuse the call: there are no asynchronous puts to report."""
    del kind
    return (sts, *_refused(hconn, "MQSTAT"))


def MQCB(hconn: int, operation: int, cbd: bytes, hobj: int, md: bytes, gmo: bytes) -> Codes:
    """Register a callback, or change one: it is the client's own function, which calls the program's."""

    def call(hconn: int, md: bytes | None, gmo: bytes | None, data: bytes | None, cbc: bytes) -> None:
        if member(MQCBC, cbc, "Hobj") <= 0:  # the client finds the function by this handle
            cbc = written(MQCBC, cbc, {"Hobj": hobj})
        _callback_of_client()(hconn, md, gmo, data, cbc)

    return _codes(callback_verbs.manage_callback(hconn, operation, Request(cbd, hobj, md, gmo, call)))


def MQCTL(hconn: int, operation: int, ctlo: bytes) -> Codes:
    """Start, stop, suspend or resume the callbacks of a connection."""
    return _codes(callback_verbs.control_callbacks(hconn, operation, ctlo))


_CLIENT: Final[list[Callable[..., object]]] = []
"""The function that the client named with MQCBINIT."""


def MQCBINIT(function: Callable[..., object]) -> None:
    """Remember the client's function for callbacks."""
    _CLIENT[:] = [function]


def _callback_of_client() -> Callable[..., object]:
    """Return the client's function; if IBM's extension was loaded first, it has that function."""
    if not _CLIENT:
        _CLIENT.append(importlib.import_module("mqcallback")._internal_cb)  # noqa: SLF001 - it names no other
    return _CLIENT[0]


def MQCRTMH(hconn: int, cmho: bytes) -> tuple[int, int, int]:
    """Make a message handle."""
    found: list[int] = []

    def create() -> None:
        options.look_at_structure("MQCMHO", cmho)
        found.append(message_handles.create(hconn))

    codes = _guarded(create)
    return (found[0] if found else -1, *codes)


def MQDLTMH(hconn: int, hmsg: int, dmho: bytes) -> Codes:
    """Delete a message handle."""
    del dmho
    return _guarded(lambda: message_handles.delete(hconn, hmsg))


def MQSETMP(hconn: int, hmsg: int, smpo: bytes, name: bytes, pd: bytes, kind: int, value: Any, length: int) -> Codes:
    """Set a property."""

    def set_property() -> None:
        asked = options.look_at_structure("MQSMPO", smpo)
        options.look_at_form("MQSMPO", smpo)
        options.look_at_property(pd)
        handle = message_handles.find(hconn, hmsg)
        handle.set(message_handles.meant(handle, _name(name), asked), kind, _property_value(kind, value, length))

    return _guarded(set_property)


def MQINQMP(
    hconn: int, hmsg: int, impo: bytes, name: bytes, pd: bytes, kind: int, length: int
) -> tuple[Any, int, str | None, int, int]:
    """Inquire a property; its name is returned where a wildcard asked for it."""
    del pd, kind
    found: list[tuple[str, message_handles.Property]] = []
    asked = 0

    def inquire() -> None:
        nonlocal asked
        asked = options.look_at_structure("MQIMPO", impo)
        options.look_at_form("MQIMPO", impo)
        found.append(message_handles.inquired(message_handles.find(hconn, hmsg), _name(name), asked))

    codes = _guarded(inquire)
    if not found:
        return (None, 0, None, *codes)
    actual, value = found[0]
    returned = actual if b"%" in name else None
    if asked & options.INQUIRE_PROPERTY["QUERY_LENGTH"].value:
        return (None, len(value.value), None, *codes)
    if len(value.value) > length:
        codes = (int(MQCC.FAILED), int(MQRC.PROPERTY_VALUE_TOO_BIG))
        return (_python_value(value, length), len(value.value), returned, *codes)
    return (_python_value(value, length), len(value.value), returned, *codes)


def MQDLTMP(hconn: int, hmsg: int, dmpo: bytes, name: bytes) -> Codes:
    """Delete a property."""

    def delete() -> None:
        asked = options.look_at_structure("MQDMPO", dmpo)
        handle = message_handles.find(hconn, hmsg)
        handle.delete(message_handles.meant(handle, _name(name), asked))

    return _guarded(delete)


def _bytes(data: Text) -> bytes:
    return data.encode("utf-8") if isinstance(data, str) else bytes(data)


def _refused(hconn: int, name: str) -> Codes:
    def refuse() -> None:
        connections.find(hconn)
        options.refuse(name)

    return _guarded(refuse)


def _guarded(action: Callable[[], object]) -> Codes:
    try:
        action()
    except Failed as failed:
        return int(failed.comp_code), int(failed.reason)
    except NotModelledError as error:
        warn_of_refusal(str(error))
        return int(MQCC.FAILED), int(MQRC.FUNCTION_NOT_SUPPORTED)
    return int(MQCC.OK), int(MQRC.NONE)


def _property_value(kind: int, value: Any, length: int) -> bytes:
    data = message_handles.as_bytes(kind, value)
    return data if length < 0 or kind in message_handles.FORMS else data[:length]


def _python_value(found: message_handles.Property, length: int) -> Any:
    form = message_handles.FORMS.get(found.kind)
    if form is not None:
        return struct.unpack("=" + form, found.value)[0]
    if found.kind == message_handles.NULL:
        return None
    value = found.value[:length]
    return value.decode("utf-8", errors="replace") if found.kind == message_handles.STRING else value


class _Finder(MetaPathFinder, Loader):
    """A finder of `ibmmqc` for imports that find nothing else."""

    def find_spec(self, name: str, path: object, target: ModuleType | None = None) -> ModuleSpec | None:
        del path, target
        return ModuleSpec(NAME, self) if name == NAME else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        del spec
        return None

    def exec_module(self, module: ModuleType) -> None:
        for name, function in functions().items():
            setattr(module, name, function)
        module.__doc__ = __doc__
        vars(module)["__version__"] = importlib.metadata.version(_PACKAGE)
        vars(module)["__cmdlevel__"] = _COMMAND_LEVEL
        vars(module)["__mqbuild__"] = "common"
        vars(module)["__strucversions__"] = dict(_VERSIONS)
        vars(module)["error"] = type("error", (Exception,), {})


_FINDER: Final = _Finder()


def functions() -> dict[str, Callable[..., Any]]:
    """Return the functions of the extension module, by name."""
    return {name: each for name, each in globals().items() if name.startswith(_PUBLIC) and callable(each)}


def offer() -> None:
    """Let `import ibmmq` find this module if IBM's own extension cannot be loaded."""
    if _FINDER not in sys.meta_path:
        sys.meta_path.append(_FINDER)


@contextmanager
def take_the_place_of(module: ModuleType) -> Iterator[None]:
    """Replace the functions of IBM's extension module, and restore them at the end."""
    mine = functions()
    theirs = {name: getattr(module, name) for name in mine if hasattr(module, name)}
    vars(module).update(mine)
    try:
        yield
    finally:
        for name in mine:
            vars(module).pop(name, None)
        vars(module).update(theirs)
