"""What came of a run: verdicts on rules, defects under their headings, and the document that reports are made of.

`judgement` makes verdicts on rules of the results of checks. A rule conforms only by a check that is about it and fails
where it is broken (`telling`; `untelling.yaml` is written by `python -m bench.telling`). `known` says which departures
are known. `defects` puts those under one heading that depart in the same way, by the rule that explains them best.
`document` is the whole as data: console, JSON, HTML, comparison and known deviations are made of it; JUnit and pytest
items are made of the events and the worker.
"""
