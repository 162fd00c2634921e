"""Making the next item in a thread while the last one is used, for work that leaves the interpreter on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

_Item = TypeVar("_Item")
_END: Final = object()


def ahead(items: Iterable[_Item]) -> Iterator[_Item]:
    """Yield items, and make the next one in a thread of its own while the caller uses the last.

    What making an item raises is raised here, after the items before it.
    """
    source = iter(items)
    with ThreadPoolExecutor(max_workers=1) as pool:
        coming = pool.submit(next, source, _END)
        while (item := coming.result()) is not _END:
            coming = pool.submit(next, source, _END)
            yield item  # type: ignore[misc]  # all but _END are items
