"""Common parts of the commands: their end by a signal or if standard output fails, and numeric options."""

from __future__ import annotations

import errno
import io
import math
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, NoReturn

import click
from rich.console import Console as RichConsole

from oracle.errors import UsageError
from oracle.signals import INTERRUPTED

CLOSED_PIPE: Final = 141
"""The exit status if standard output is a closed pipe: a shell's for a program that SIGPIPE ended."""

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def unwritten_output(error: OSError) -> UsageError:
    """Return the error for standard output that cannot be written to, and close standard output."""
    _give_up_output()
    return UsageError(f"standard output cannot be written: {error.strerror}")


def nobody_reads() -> bool:
    """Return whether standard output is a closed pipe."""
    if not hasattr(select, "poll"):  # Windows; a closed pipe is another error there
        return False
    poll = select.poll()
    try:
        poll.register(sys.stdout.fileno(), 0)
    except (OSError, ValueError):  # standard output is not a file, as in tests
        return False
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _give_up_output() -> None:
    with suppress(OSError, ValueError):  # the rest of the buffer must not fail again when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _prepare_output() -> None:
    r"""Let output neither fail where it was closed from the beginning, nor at a character that its encoding lacks.

    Such a character is written as \xfc, as Python does on standard error.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # `>&-` in a shell
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.encoding.lower().replace("-", "") != "utf8":
        sys.stdout.reconfigure(errors="backslashreplace")


class Console(RichConsole):
    """A console that reports a closed pipe: rich's own ends the program with 1, as for violations."""

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError, which `Program` handles."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


class FiniteRange(click.FloatRange):
    """Numbers within bounds. NaN is not beyond any bound, so it is refused explicitly."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number.

        Raises click.BadParameter if it is not in the range.
        """
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


@contextmanager
def interruptible() -> Iterator[None]:
    """Have Ctrl-C raise KeyboardInterrupt within the block, unless a shell ignores it for a background process."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def terminable() -> Iterator[None]:
    """Handle SIGTERM as Ctrl-C within the block, so that a cancelled command leaves nothing behind.

    Ctrl-C raises KeyboardInterrupt, unless a shell ignores it for a background process. Only the main thread can handle
    signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGTERM, _interrupt)
    if before[signal.SIGINT] is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


class Program(click.Group):
    """Subcommands of the program `tool`.

    If the disk of its output is full or memory is exhausted, it ends with a sentence and status 2. If its output is a
    closed pipe, it ends silently with status 141. Ctrl-C ends it with status 130.
    """

    def __init__(self, *args: Any, tool: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.tool: Final = tool

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read the arguments; `--help` and `--version` print something."""
        try:
            return super().make_context(*args, **kwargs)
        except BrokenPipeError:
            raise _closed_pipe() from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a subcommand."""
        try:
            with interruptible():
                return super().invoke(ctx)
        except BrokenPipeError:
            raise _closed_pipe() from None
        except KeyboardInterrupt:
            click.echo(f"{self.tool}: interrupted", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a subcommand, and make sure that its output is written."""
        _prepare_output()
        try:
            try:
                return super().main(*args, **kwargs)
            finally:
                sys.stdout.flush()
        except MemoryError:
            click.echo(f"{self.tool}: there is not enough memory for this input", err=True)
            sys.exit(2)
        except BrokenPipeError:  # the rest of the buffer
            _give_up_output()
            sys.exit(CLOSED_PIPE)
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            click.echo(f"{self.tool}: {unwritten_output(error)}", err=True)
            sys.exit(2)


class TerminableProgram(Program):
    """Subcommands that SIGTERM ends as Ctrl-C does, from their first line to their last."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a subcommand, unless it is interrupted."""
        with terminable():
            try:
                result = super().invoke(ctx)
                sys.stdout.flush()  # while an interruption still is one
            except KeyboardInterrupt:
                click.echo(f"{self.tool}: interrupted", err=True)
                ctx.exit(INTERRUPTED)
            return result


def _closed_pipe() -> click.exceptions.Exit:
    """Close standard output, and return the exception that ends the program; click itself would end it with 1."""
    _give_up_output()
    return click.exceptions.Exit(CLOSED_PIPE)
