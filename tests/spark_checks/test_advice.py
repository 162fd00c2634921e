"""What the advice says to do has the effect that it promises."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from fixtures.captures import pcap_bytes
from fixtures.channel_talks import put_talk
from spark_checks.cli import main


def test_a_log_is_complete_when_it_is_made_so_as_the_advice_says(tmp_path: Path) -> None:
    capture, events = tmp_path / "capture.pcap", tmp_path / "events.jsonl"
    capture.write_bytes(pcap_bytes(put_talk().packets))
    runner = CliRunner()
    told = runner.invoke(main, ["inspect", str(capture)]).output
    assert 'write "complete":true into its first line' in " ".join(told.split())
    runner.invoke(main, ["convert", str(capture), "--out", str(events)])
    header, *calls = events.read_text(encoding="utf-8").splitlines()
    events.write_text("\n".join([json.dumps({**json.loads(header), "complete": True}), *calls]), encoding="utf-8")
    assert "the log contains every call: yes" in runner.invoke(main, ["inspect", str(events)]).output
