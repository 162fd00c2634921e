"""Judging what was seen: which outcomes the model allows, whether one fits, and why none does.

>>> from oracle.judging.follow import Follower
>>> from oracle.model.queue_manager import new_state
>>> from oracle.mqi.calls import Connect
>>> from oracle.protocol.replies import ObservedReply
>>> Follower(new_state([])).follow(Connect("A"), ObservedReply(comp_code=2, reason=2059)).departure is None
False

A departure names every rule that may have been broken: those by which the reply is wrong, those that the nearest
allowed outcome rests on, and those of the call before. `suspects` orders them. Most rest under nearly every call and
tell little, so a rule weighs as often as departures of the examples name it (`oracle/data/suspects.yaml`, counted by
`python -m bench.suspects`), and less where the sentence, a differing member or the reason speaks of it in particular.

After a departure one can go on where the effect of the reply is known (`carry_on`): an output is wrong, a warning is
missing, the call failed with another reason, a get returned another message that is there. What is wrong with one
output alone puts no other rules in doubt than those behind it and those of `oracle/data/bearing.yaml`, which
`python -m bench.bearing` counts.
"""
