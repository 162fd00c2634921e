"""What the commands have in common: how they end where standard output takes no more, and numbers as options."""

from __future__ import annotations

import errno
import math
import os
import sys
from contextlib import suppress
from typing import Any, Final

import click

from oracle.errors import UsageError

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def unwritten_output(error: OSError) -> UsageError:
    """Return the error for standard output that cannot be written to, and give standard output up."""
    with suppress(OSError):  # what is left in the buffer must not fail again when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return UsageError(f"standard output cannot be written: {error.strerror}")


class FiniteRange(click.FloatRange):
    """Numbers within bounds. What is no number (nan) is not beyond any bound, so it is refused by name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number.

        Raises click.BadParameter if it is not in the range.
        """
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


class Program(click.Group):
    """Subcommands of the program `tool`.

    Each ends with a sentence and status 2 where its output is full, or memory does not suffice.
    """

    def __init__(self, *args: Any, tool: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.tool: Final = tool

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a subcommand and see to it that what it has printed is written."""
        try:
            try:
                return super().main(*args, **kwargs)
            finally:
                sys.stdout.flush()
        except MemoryError:
            click.echo(f"{self.tool}: there is not enough memory for this input", err=True)
            sys.exit(2)
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            click.echo(f"{self.tool}: {unwritten_output(error)}", err=True)
            sys.exit(2)
