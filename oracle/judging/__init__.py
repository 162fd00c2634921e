"""Judgement of observed replies: which outcomes the model allows, whether one fits, and why none does.

>>> from oracle.judging.follow import Follower
>>> from oracle.model.queue_manager import new_state
>>> from oracle.mqi.calls import Connect
>>> from oracle.protocol.replies import ObservedReply
>>> Follower(new_state([])).follow(Connect("A"), ObservedReply(comp_code=2, reason=2059)).departure is None
False

A departure names every rule that may have been broken: those that exclude the reply, those behind the nearest allowed
outcome, and those of the call before. `suspects` orders them. Most are behind nearly every call and say little, so a
rule has the weight of the departures of the examples that name it (`oracle/data/suspects.yaml`, counted by `python -m
bench.suspects`), and less if the sentence, a differing member or the reason points to it. After a departure a follower
can continue if the effect of the reply is known (`carry_on`): an output is wrong, a warning is missing, the call failed
with another reason, a get returned another message that is there. If one output alone is wrong, only the rules behind
it are in doubt and those of `oracle/data/bearing.yaml`, which `python -m bench.bearing` counts.
"""
