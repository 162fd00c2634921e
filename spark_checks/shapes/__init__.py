"""Rules that one call decides by itself: its options, its handle, what it returned.

Millions of calls have few *shapes*: the same options, the same history of the handle as far as a rule needs it, the
same kind of outcome. So the calls are reduced to shapes, each distinct shape is judged once in plain Python, mostly by
the oracle itself, and the calls of offending shapes are looked up again. `shape.py` defines a shape, `features.py` lets
an engine compute it for a call, and `world.py` builds the smallest queue manager that it fits. `refusals.py`,
`outcomes.py` and `values.py` judge it, and `judging.py` combines their judgements; `grouping.py` does all this on an
engine. A rule about single calls is a row of a table in `refusals.py` or `values.py`, or comes from the model itself
(`outcomes.py`).
"""
