"""A run of the checks in which none applied, or all are undecided, has tested nothing: it is not a success.

`mq-conform run` ends such a run with status 2. Here 2 would mean an interrupt, so it is 5, which pytest gives a run
without tests.
"""

from __future__ import annotations

from typing import Final

import pytest

VERDICT: Final = "mq-conform verdict"
"""The property of an item that has the verdict of its check."""

_NOTHING: Final = frozenset({"not_applicable", "undecided"})
_TOLD: Final = "mq-conform: nothing was tested: no rule was exercised (--mq-allow-empty accepts that)"


class Emptiness:
    """A plugin that looks at the verdicts of all checks."""

    def __init__(self, config: pytest.Config) -> None:
        self._allowed = bool(config.getoption("--mq-allow-empty"))
        self._verdicts: set[object] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the verdict of a check."""
        self._verdicts.update(value for name, value in report.user_properties if name == VERDICT)

    @property
    def _is_empty(self) -> bool:
        return bool(self._verdicts) and self._verdicts <= _NOTHING and not self._allowed

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Make an empty run that would be a success one that ran no test."""
        if exitstatus == pytest.ExitCode.OK and self._is_empty:
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say that nothing was tested."""
        if self._is_empty:
            terminalreporter.write_line(_TOLD, red=True)
