"""What one call decides by itself: its options, its handle, what it returned.

Millions of calls have few *shapes*: the same options, the same history of the handle as far as a rule asks for it, the
same kind of outcome. So the calls are reduced to shapes, each distinct shape is judged once in plain Python, most of
it by the oracle itself, and the calls of offending shapes are looked up again.

`shape.py` is a shape, `features.py` how an engine makes it of a call, `world.py` the smallest queue manager that it
fits, `refusals.py`, `outcomes.py` and `values.py` judge it, and `judging.py` puts their judgements together;
`grouping.py` does all this on an engine. A rule about single calls is a row of a table in `refusals.py` or `values.py`,
or comes from the model itself (`outcomes.py`).
"""
