"""The grounds of a handle's cursor, lock and group: they are cited, and have no effect."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.model.grounds import Grounds
from oracle.model.queue_manager import outcomes
from oracle.model.state import State
from oracle.mqi.profile import PLATFORMS, PlatformName
from tests.oracle.conftest import Play
from tests.oracle.strategies import histories
from tests.oracle.test_model_properties import relaxed, walk

OPENED = "h = open Q BROWSE+INPUT_SHARED+OUTPUT; g = B.open Q BROWSE+INPUT_SHARED; put h m1; put h m2;"


def without_grounds(state: State) -> State:
    """Return a state as another history may have led to it."""
    other = state.copy()
    for handle in other.handles.values():
        handle.grounds = Grounds()
    return other


@relaxed
@given(histories, st.sampled_from(PLATFORMS), st.data())
def test_grounds_have_no_effect_on_what_is_allowed(text: str, platform: PlatformName, data: st.DataObject) -> None:
    for taken in walk(text, platform, data):
        other = without_grounds(taken.before)
        assert other == taken.before
        with_grounds = [(outcome.reply, outcome.state) for outcome in outcomes(taken.before, taken.call)]
        assert [(outcome.reply, outcome.state) for outcome in outcomes(other, taken.call)] == with_grounds


@pytest.mark.parametrize(
    ("history", "rules"),
    [
        ("get h BROWSE_FIRST; get h BROWSE_NEXT", {"BRW-04"}),
        ("get h BROWSE_FIRST; get h; get h BROWSE_NEXT", {"BRW-04", "BRW-07", "BRW-08"}),
        ("get h BROWSE_FIRST; get h BROWSE_MSG_UNDER_CURSOR; get h BROWSE_NEXT", {"BRW-04", "CUR-06"}),
        ("get h BROWSE_FIRST; get h BROWSE_NEXT BufferLength=1; get h BROWSE_NEXT", {"BRW-10", "TRN-05"}),
        ("get h BROWSE_FIRST; put h m3 Priority=9; get h BROWSE_NEXT", {"BRW-21"}),
        ("get h BROWSE_FIRST; put h m3 Priority=9; get h BROWSE_FIRST", {"BRW-22"}),
        ("get h BROWSE_FIRST+LOCK; get g", {"LCK-01", "BRW-11"}),
        ("get h BROWSE_FIRST+LOCK; cmit; get g", {"LCK-01", "LCK-22"}),
        ("get h BROWSE_FIRST+LOCK; get h BROWSE_NEXT; get g", {"LCK-09", "LCK-21"}),
        ("get h BROWSE_FIRST+LOCK; get h UNLOCK; get h UNLOCK", {"LCK-15", "LCK-17"}),
    ],
)
def test_a_call_cites_what_earlier_calls_left_it(play: Play, history: str, rules: set[str]) -> None:
    assert rules <= set(play(OPENED + history).last.rules)


def test_a_call_does_not_cite_what_has_been_overtaken(play: Play) -> None:
    played = play(OPENED + "get h BROWSE_FIRST; put h m3 Priority=9; get h BROWSE_FIRST; get h BROWSE_NEXT")
    assert not {"BRW-21", "BRW-22"} & set(played.last.rules)
    played = play(OPENED + "get h BROWSE_FIRST+LOCK; get h UNLOCK; get h BROWSE_FIRST+LOCK; get g")
    assert not {"LCK-15", "LCK-21"} & set(played.last.rules)
