"""Miniatures with a witness: its history shows that they are wrong, and the model does not depart on it."""

from __future__ import annotations

import pytest

from fixtures.miniatures import MINIATURES
from oracle.rules import catalogue
from oracle.serve import Server
from tests.conformance.conftest import rig_of

WITNESSED = {name: each for name, each in MINIATURES.items() if each.witness is not None}


@pytest.mark.parametrize("name", WITNESSED)
def test_its_history_shows_that_a_miniature_breaks_a_rule_that_it_names(name: str) -> None:
    """It departs by the rule, or where what is right rests on the rule."""
    miniature = WITNESSED[name]
    assert miniature.witness is not None
    history = miniature.witness.history(name)
    right = rig_of(lambda: Server(miniature.platform)).play(history)
    assert right.departure is None
    wrong = rig_of(miniature.server).play(history)
    assert wrong.departure is not None, "the change does not show"
    asked = len(wrong.transcript.exchanges) - 1
    rested_on = right.transcript.exchanges[asked].followed.rules
    assert set(miniature.rules) & {*wrong.departure.rules, *wrong.departure.before, *rested_on}


def test_half_of_the_witnessed_ones_are_about_two_areas_that_there_are() -> None:
    areas = {rule.id[:3] for rule in catalogue.rules()}
    meeting = [each for each in WITNESSED.values() if each.meets is not None]
    assert len(WITNESSED) >= 150
    assert len(meeting) * 2 >= len(WITNESSED)
    for each in meeting:
        assert each.meets is not None
        assert set(each.meets) <= areas, each.name
        assert each.meets[0] != each.meets[1], each.name
