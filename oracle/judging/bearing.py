"""The rules that show in an output of a call, besides those that are always behind it.

If one output of a reply is wrong and everything else is right, few rules are in doubt: those behind the output
(`oracle/judging/compare.py`), and those that some example (`oracle/rules/examples/`) rejects by just this output of
just this call. `oracle/data/bearing.yaml` has them, and `python -m bench.bearing` writes it anew.

>>> "PTB-24" in bearing_on("MQPUT", ["MQMD.MsgSeqNumber"]), "PTB-24" in bearing_on("MQPUT", ["MQMD.PutDate"])
(True, False)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from oracle.rules.catalogue import RuleId
from oracle.text.yaml_files import parse_yaml


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    outputs: Mapping[str, Mapping[str, tuple[RuleId, ...]]]


@cache
def table() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the rules by verb and by output."""
    text = (files("oracle") / "data" / "bearing.yaml").read_text(encoding="utf-8")
    return parse_yaml(text, "data/bearing.yaml", _File).outputs


def bearing_on(verb: str, members: Iterable[str]) -> frozenset[str]:
    """Return the rules that show in any of these outputs of a call; MQPUT1 is a put too."""
    of_verb = table().get("MQPUT" if verb == "MQPUT1" else verb, {})
    return frozenset(rule for member in members for rule in of_verb.get(member, ()))
