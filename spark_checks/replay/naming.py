"""The rule under which a departure is reported: one about the outcome of the call itself.

The oracle's suspects are all rules that may have been broken, by the call or before it. If the likeliest of them is
also the rule that the oracle gives for the reply, that is the rule; likewise if the call had to fail in another way.
Otherwise the rule is one about what the log shows: a get that found nothing is not reported under a rule about the put,
and a call that failed without cause is reported under the rule for its reason.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from oracle.histories.event_log import Event
from oracle.judging.departure import Departure
from oracle.mqi.constants import MQRC

_OF_PUTS: Final = {
    MQRC.HOBJ_ERROR: "CON-02",
    MQRC.MSG_TOO_BIG_FOR_Q: "SIZ-04",
    MQRC.NOT_OPEN_FOR_OUTPUT: "OPN-17",
    MQRC.PUT_INHIBITED: "PUT-09",
    MQRC.Q_FULL: "DEP-06",
}
_GIVE: Final[Mapping[str, Mapping[MQRC, str]]] = {
    "MQPUT": _OF_PUTS,
    "MQPUT1": _OF_PUTS,
    "MQGET": {
        MQRC.GET_INHIBITED: "WAI-06",
        MQRC.HOBJ_ERROR: "CON-02",
        MQRC.INCOMPLETE_GROUP: "LOG-25",
        MQRC.INCOMPLETE_MSG: "LOG-25",
        MQRC.INCONSISTENT_BROWSE: "BRW-14",
        MQRC.INCONSISTENT_UOW: "LOG-25",
        MQRC.MATCH_OPTIONS_ERROR: "MTC-10",
        MQRC.NO_MSG_LOCKED: "LCK-17",
        MQRC.NO_MSG_UNDER_CURSOR: "CUR-04",
        MQRC.NOT_OPEN_FOR_BROWSE: "OPT-32",
        MQRC.NOT_OPEN_FOR_INPUT: "OPN-16",
    },
}
"""By call and reason, the rule by which such a call ends with that reason."""


def name_of(event: Event, departure: Departure, of_puts: Collection[str], *, fails: bool) -> str:
    """Return the rule under which a departure is reported.

    `of_puts` are rules that only earlier puts depended on; `fails` says that the call had to fail.
    """
    said, suspects = departure.said, departure.rules
    if fails or said[:1] == suspects[:1]:
        return suspects[0]
    if event.call == "MQGET" and event.reason == MQRC.NO_MSG_AVAILABLE:
        return said[0] if said and said[0] not in of_puts else "DLV-05"
    given = {int(reason): rule for reason, rule in _GIVE.get(event.call, {}).items()}
    return given.get(event.reason or 0, (*said, *suspects)[0])
