"""Files with values nested too deeply: one sentence and status 2 from every command."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from conformance.cli import main as mq_conform
from oracle.cli import main as mq_oracle
from spark_checks.cli import main as mq_audit
from spark_checks.days.state_files import STATE
from spark_checks.reports.known import SUMMARY
from spark_checks.reports.show import FINDINGS

LOG = '{"header":"log","complete":true}\n{"qmgr":"M","conn":"c","seq":1,"call":"MQCONN","start_us":1,"end_us":2}\n'


@pytest.mark.parametrize("depth", [500, 100_000])
@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        (mq_conform, "compare nested nested"),
        (mq_conform, "known --from nested"),
        (mq_conform, "run --target python:oracle.serve:Server --known nested"),
        (mq_conform, "replay nested --target python:oracle.serve:Server"),
        (mq_conform, "sensitivity --resume --json nested"),
        (mq_oracle, "replay nested"),
        (mq_audit, "known report"),
        (mq_audit, "show report --finding 1"),
        (mq_audit, "run log.jsonl --out out --state state"),
        (mq_audit, "run log.jsonl --out out --known nested"),
    ],
)
def test_deep_nesting_is_told_in_a_sentence(
    command: click.Command, arguments: str, depth: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    nested = '{"version": ' + "[" * depth + "]" * depth + "}"
    Path("log.jsonl").write_text(LOG)
    Path("nested").write_text(nested)
    Path("report").mkdir()
    Path("state").mkdir()
    for file in (Path("report", SUMMARY), Path("report", FINDINGS), Path("state", STATE)):
        file.write_text(nested)
    result = CliRunner().invoke(command, arguments.split())
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert len(result.output) < 1000
