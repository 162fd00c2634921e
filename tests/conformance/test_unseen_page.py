"""The page `docs/sensitivity-unseen.md` is in step with its table, which has every miniature with a witness."""

from __future__ import annotations

import json

from bench import unseen_page
from fixtures.miniatures import MINIATURES


def test_the_page_is_up_to_date() -> None:
    assert unseen_page.PAGE.read_text(encoding="utf-8") == unseen_page.page(), "python -m bench.unseen_page writes it"


def test_nothing_that_was_measured_is_left_out() -> None:
    table = json.loads(unseen_page.BEFORE.read_text(encoding="utf-8"))
    measured = [each["name"] for batch in table.values() if isinstance(batch, list) for each in batch]
    assert sorted(measured) == sorted(name for name, each in MINIATURES.items() if each.witness is not None)
