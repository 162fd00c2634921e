"""Directories that are exchanged as a whole: killed at every step, on mounts, through links and on a full disk."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from oracle.errors import BadInputError, UsageError
from spark_checks.days.state_files import STATE_FILES, State, read_state
from spark_checks.output.claims import claimed
from spark_checks.output.exchange import LOCK, NEW, READY, contents
from spark_checks.output.whole_directories import settled, whole_directory

ROOT = Path(__file__).parents[2]
OLD = {"calls/part-0": "one", "calls/part-1": "one", "headers.jsonl": "one", "state.json": "one"}
NEWER = {"calls/part-0": "two", "calls/part-2": "two", "headers.jsonl": "two", "withdrawn.jsonl": "two"}
AS_ROOT = pytest.mark.skipif(
    not sys.platform.startswith("linux") or os.geteuid() != 0, reason="only root may mount a file system"
)


def fill(directory: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (directory / name).parent.mkdir(exist_ok=True, parents=True)
        (directory / name).write_text(text)


def found(directory: Path) -> dict[str, str]:
    return {str(path.relative_to(directory)): path.read_text() for path in directory.rglob("*") if path.is_file()}


KILLED = """
import json, os, sys, traceback
from pathlib import Path
from spark_checks.days.state_files import State
from spark_checks.output.whole_directories import whole_directory

STEPS = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "open", "os.truncate"}

def state(days):
    return State(days=days, unreadable=0, inputs=[], gathered=[], horizon_us=0, told_us=0, rests=None)

def write(directory, days):
    with whole_directory(directory) as new:
        (new / "calls").mkdir()
        for part in range(days, days + 3):
            (new / "calls" / f"part-{part}").write_text(str(days))
        (new / "headers.jsonl").write_text(str(days))
        (new / "state.json").write_text(state(days).model_dump_json())

room, left, step = Path(sys.argv[1]), json.loads(sys.argv[2]), 0
while True:
    step += 1
    place = room / str(step)
    if left:
        write(place, left)
    child = os.fork()
    if child == 0:
        left_steps = step
        def count(event, arguments):
            global left_steps
            if event in STEPS and str(place) in str(arguments[0]):
                left_steps -= 1
                if left_steps == 0:
                    os._exit(9)
        try:
            sys.addaudithook(count)
            write(place, left + 1)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status != 9:
        print(step)
        sys.exit(status)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the test forks a process for each step")
@pytest.mark.parametrize("days", [0, 1])
def test_after_a_kill_at_any_step_the_next_run_finds_the_old_state_or_the_new(days: int, tmp_path: Path) -> None:
    """Each thing that is done to the file system is a step, before which the run is killed."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), str(days)], cwd=ROOT, check=True, capture_output=True, text=True
    )
    steps, seen = int(done.stdout), set()
    assert steps > 20
    for step in range(1, steps + 1):
        place = tmp_path / str(step)
        with claimed(place, STATE_FILES):
            state = read_state(place)
            found_days = 0 if state is None else state.days
            seen.add(found_days)
            names = {f"calls/part-{part}" for part in range(found_days, found_days + 3)} | {"headers.jsonl"}
            assert contents(place) == (["calls", "headers.jsonl", "state.json"] if found_days else [])
            whole = {name: text for name, text in found(place).items() if name not in {LOCK, "state.json"}}
            assert whole == (dict.fromkeys(names, str(found_days)) if found_days else {}), step
    assert seen == {days, days + 1}


def test_what_takes_the_place_of_what(tmp_path: Path) -> None:
    out = tmp_path / "out"
    fill(out, OLD)
    with whole_directory(out) as new:
        fill(new, NEWER)
        assert {name: text for name, text in found(out).items() if not name.startswith(".")} == OLD
    assert found(out) == {**NEWER, "state.json": "one"}
    assert not (out / NEW).exists()


def test_the_directory_itself_stays_and_a_link_to_it_is_followed(tmp_path: Path) -> None:
    out, link = tmp_path / "elsewhere" / "out", tmp_path / "link"
    fill(out, OLD)
    number = out.stat().st_ino
    link.symlink_to(Path("elsewhere") / "out")
    with whole_directory(link) as new:
        fill(new, NEWER)
    assert link.is_symlink()
    assert out.stat().st_ino == number
    assert found(out)["headers.jsonl"] == "two"
    assert [path.name for path in tmp_path.iterdir() if path != link] == ["elsewhere"]


def test_a_link_to_a_directory_that_is_not_there_yet_is_followed(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("out")
    with whole_directory(link) as new:
        fill(new, NEWER)
    assert found(tmp_path / "out") == NEWER


def test_what_nothing_can_be_written_to_is_refused_when_it_is_claimed(tmp_path: Path) -> None:
    circle, into_nothing, of_file = tmp_path / "circle", tmp_path / "nothing", tmp_path / "of_file"
    circle.symlink_to("circle")
    into_nothing.symlink_to("no/where")
    of_file.symlink_to("file")
    (tmp_path / "file").write_text("text")
    for path, told in [(circle, "circle"), (into_nothing, "no: no such directory"), (of_file, "is not a directory")]:
        with pytest.raises(UsageError, match=told), claimed(path):
            pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["circle", "file", "nothing", "of_file"]


def test_a_half_exchanged_directory_is_put_in_order_before_it_is_read(tmp_path: Path) -> None:
    fill(tmp_path, {"report.html": "one", f"{READY}/report.html": "two", f"{READY}/junit.xml": "two"})
    settled(tmp_path)
    assert found(tmp_path) == {"report.html": "two", "junit.xml": "two"}
    fill(tmp_path, {f"{NEW}/report.html": "thr"})
    settled(tmp_path)
    assert (tmp_path / NEW).exists()  # it may be under way


def test_a_directory_that_a_run_could_not_fill_is_not_left(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(ZeroDivisionError), whole_directory(out) as new:
        fill(new, {"report.html": str(1 // 0)})
    assert not out.exists()


def mounted(tmp_path: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run a program where a small file system of its own is mounted on `out`, in a name space that ends with it."""
    out = tmp_path / "out"
    out.mkdir()
    prepared = f"mount -t tmpfs -o size=256k none {out} && exec {sys.executable} -c '{script}' {out}"
    done = subprocess.run(
        [shutil.which("unshare") or "unshare", "-m", "sh", "-c", prepared],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if "mount: " in done.stderr or "unshare: " in done.stderr:
        pytest.skip(f"nothing can be mounted here: {done.stderr}")
    return done


@AS_ROOT
def test_a_mount_point_is_filled_and_filled_again(tmp_path: Path) -> None:
    script = """
import sys
from pathlib import Path
from spark_checks.output.whole_directories import whole_directory
for text in ("one", "two"):
    with whole_directory(Path(sys.argv[1])) as new:
        (new / "calls").mkdir()
        (new / "calls" / text).write_text(text)
print(sorted(path.name for path in Path(sys.argv[1]).rglob("*")))
"""
    done = mounted(tmp_path, script.replace("'", '"'))
    assert done.stdout == "['calls', 'two']\n", done.stderr


@AS_ROOT
def test_a_disk_that_is_full_leaves_what_was_there(tmp_path: Path) -> None:
    script = """
import sys
from pathlib import Path
from oracle.errors import BadInputError
from spark_checks.output.whole_directories import whole_directory
out = Path(sys.argv[1])
for size in (1000, 300_000):
    try:
        with whole_directory(out) as new:
            (new / "report.html").write_bytes(b"x" * size)
    except BadInputError as error:
        print(error)
print([(path.name, path.stat().st_size) for path in out.iterdir()])
"""
    done = mounted(tmp_path, script)
    assert done.stdout.splitlines() == [
        f"{tmp_path / 'out'}: cannot be written: No space left on device",
        "[('report.html', 1000)]",
    ], done.stderr


def test_the_errors_of_many_copied_files_are_told_as_one(tmp_path: Path) -> None:
    every = [(f"{name}.html", f"new/{name}.html", f"[Errno 28] No space left on device: '{name}'") for name in "ab"]
    with pytest.raises(BadInputError) as told, whole_directory(tmp_path / "out"):
        raise shutil.Error(every)
    assert str(told.value) == f"{tmp_path / 'out'}: cannot be written: [Errno 28] No space left on device: 'a'"


def test_what_the_disk_cannot_take_after_all_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path / "out", OLD)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with (
        pytest.raises(BadInputError, match="cannot be written: No space left"),
        whole_directory(tmp_path / "out") as new,
    ):
        fill(new, NEWER)
    assert found(tmp_path / "out") == OLD


def test_contents_that_are_mount_points_are_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, OLD)
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(str(path)).name == "calls")
    with pytest.raises(UsageError, match="calls in it is a mount point"), claimed(tmp_path):
        pass


def test_the_states_of_the_kills_are_states(tmp_path: Path) -> None:
    """The program that is killed writes what read_state reads."""
    whole = State(days=1, unreadable=0, inputs=[], gathered=[], horizon_us=0, told_us=0, rests=None)
    fill(tmp_path, {"state.json": json.dumps(whole.model_dump())})
    assert read_state(tmp_path) == whole
