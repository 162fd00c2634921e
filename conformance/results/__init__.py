"""The results of a run: verdicts on rules, defects under their headings, and the document from which reports are made.

`judgement` makes verdicts on rules from the results of checks. A rule conforms only by a check that is about it and
fails if it is broken (`telling`; `python -m bench.telling` writes `untelling.yaml`). `known` decides which departures
are known. `defects` gathers departures of the same kind under one heading, by the rule that explains them best.
`document` is all of this as data, from which console, JSON, HTML, comparison and known deviations are made; JUnit and
pytest items are made from the events and the worker.
"""
