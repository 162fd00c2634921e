"""A program with one connection to a queue manager: it makes the calls that it reads from its standard input.

Each line is a list in JSON, a number, the name of a method of `Library` and its arguments, bytes as objects with
hexadecimal text; each is answered by a line with the number and what the method returned. The program ends when its
input does, whatever it is waiting for, so that no process outlives the suite.

    python -m conformance.mqi.seat LIBRARY
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from typing import Any, TextIO

from conformance.mqi.library import Library, LibraryError


def encode(values: Any) -> str:
    """Return a message between the suite and a seat as a line, without its end."""
    return json.dumps(values, default=lambda value: {"hex": value.hex()}, separators=(",", ":"))


def decode(line: str) -> Any:
    """Return the message in such a line."""
    return json.loads(line, object_hook=lambda found: bytes.fromhex(found["hex"]))


def main() -> None:
    """Load the library, report the result, and make calls until the input ends."""
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    # Output of the library must not come between the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        library = Library(sys.argv[1])
    except LibraryError as error:
        _answer(output, str(error))
        return
    _answer(output, "")
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    while True:
        number, verb, *arguments = decode(lines.get())
        _answer(output, [number, getattr(library, verb)(*arguments)])


def _read(lines: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)  # the main thread may be in a call that never ends


def _answer(output: TextIO, values: Any) -> None:
    print(encode(values), file=output, flush=True)


if __name__ == "__main__":
    main()
