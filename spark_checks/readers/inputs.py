"""The files behind the inputs of a command: several files and whole directories are one log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from oracle.errors import BadInputError, Place
from oracle.text.text_files import shown
from spark_checks.readers.detect import LISTINGS, Format, Source, detect, file_size
from spark_checks.readers.limits import DEFAULT_LIMITS, Limits

HEADERS_FILE = "_headers.jsonl"


@dataclass(frozen=True)
class Inputs:
    """The inputs that are read as one log, and the limits. Functions that take it also take paths alone."""

    paths: Sequence[Path]
    """Files and directories. A listing of queues' contents among them only supplies columns that the calls lack."""
    before: Sequence[Path] = ()
    """Listings that were made just before the log's first call."""
    after: Sequence[Path] = ()
    """Listings that were made just after its last call."""
    limits: Limits = DEFAULT_LIMITS
    """The limits on how much of each file is read."""
    read_lines: Mapping[str, int] = field(default_factory=dict)
    """By path, the line up to which an event log was read before, and is not read again."""

    @classmethod
    def of(cls, given: Inputs | Iterable[Path]) -> Inputs:
        """Return inputs as they are, and paths as inputs."""
        return given if isinstance(given, Inputs) else cls(tuple(given))

    @property
    def listings(self) -> tuple[Path, ...]:
        """The listings of the queues' contents before and after the log."""
        return (*self.before, *self.after)

    @property
    def everything(self) -> tuple[Path, ...]:
        """All paths, those of listings last."""
        return (*self.paths, *self.listings)


Found = Iterator[Path | BadInputError]


def _identity(path: Path) -> tuple[int, int]:
    """Return the identity of a file or directory, whatever links lead to it."""
    status = path.stat()
    return status.st_dev, status.st_ino


def _files_below(directory: Path, seen: set[tuple[int, int]]) -> Found:
    """Yield the files below a directory, each directory once, and an error for each one that cannot be listed.

    Hidden files and Spark's marks are not inputs. `seen` are the directories that were visited before.
    """
    waiting = [directory]
    while waiting:
        path = waiting.pop()
        try:
            if path.is_dir():
                identity = _identity(path)
                if identity not in seen:
                    seen.add(identity)
                    waiting += sorted(filter(_is_input, path.iterdir()), reverse=True)
                continue
        except OSError as error:
            yield BadInputError(error.strerror or "cannot be read", Place(shown(path)))
            continue
        yield path


def _is_input(entry: Path) -> bool:
    return entry.name == HEADERS_FILE or not entry.name.startswith((".", "_"))


def _beside(source: Source) -> Iterator[Path]:
    headers = Path(source.path).parent / HEADERS_FILE
    if source.format is Format.PARQUET and headers.is_file():
        yield headers


def files_of(inputs: Iterable[Path]) -> Found:
    """Yield the files behind inputs, and an error for each directory that cannot be listed.

    Raises BadInputError for an input that does not exist or is not a regular file.
    """
    seen: set[tuple[int, int]] = set()
    for given in inputs:
        try:
            file_size(given)
        except FileNotFoundError as error:
            raise BadInputError("no such file or directory", Place(shown(given))) from error
        except OSError as error:
            yield BadInputError(error.strerror or "cannot be read", Place(shown(given)))
            continue
        if not given.is_dir():
            yield given
            continue
        known = _identity(given) in seen
        below = _files_below(given, seen)
        first = next(below, None)
        if first is not None:
            yield first
            yield from below
        elif not known:
            yield BadInputError("nothing in this directory can be read", Place(shown(given)))


class _Sources:
    """The files that were found, each once, and the reasons why some have no reader."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.found: dict[tuple[int, int], Source] = {}
        self.refused: list[BadInputError] = []

    def take(self, path: Path | BadInputError) -> None:
        """Add a file, or an error of listing."""
        if isinstance(path, BadInputError):
            self.refused.append(path)
            return
        try:
            identity = _identity(path)
            if identity not in self.found:
                self.found[identity] = detect(path, self._limits)
        except BadInputError as error:
            self.refused.append(error)
        except OSError as error:
            self.refused.append(BadInputError(error.strerror or "cannot be read", Place(shown(path))))


def find_sources(inputs: Iterable[Path], limits: Limits = DEFAULT_LIMITS) -> tuple[list[Source], list[BadInputError]]:
    """Find the files to read, each once, and the files that have no reader.

    `limits` say how much of each is read. Raises BadInputError for an input that does not exist or is not a regular
    file, and if no input can be read, with the reason.
    """
    given = list(inputs)
    sources = _Sources(limits)
    for path in files_of(given):
        sources.take(path)
    for source in list(sources.found.values()):
        for path in _beside(source):
            sources.take(path)
    if given and not sources.found:
        raise _nothing(given, sources.refused)
    return list(sources.found.values()), sources.refused


def _nothing(given: list[Path], refused: list[BadInputError]) -> BadInputError:
    """Return the error for inputs of which none can be read."""
    if len(refused) == 1:
        return refused[0]
    where = "this directory" if len(given) == 1 else "these inputs"
    first = f"; {refused[0]}" if refused else ""
    return BadInputError(f"nothing in {where} can be read{first}", Place(shown(given[0])))


def check_listings(paths: Iterable[Path]) -> None:
    """Raise BadInputError for a file that does not list the contents of queues."""
    for path in paths:
        if path.is_dir() or detect(path).format not in LISTINGS:
            raise BadInputError("no listing of a queue's contents (dmpmqmsg, amqsbcg)", Place(shown(path)))
