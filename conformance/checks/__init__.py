"""What the suite does with a target: scenarios, examples, tables and state machines, and the features they need.

>>> from conformance.checks.scenarios import scenarios
>>> [sweep] = [each for each in scenarios() if each.id == "browse/sweep-by-priority"]
>>> sweep.rules, sweep.steps.splitlines()[5]
(('PRI-03',), 'get h BROWSE_FIRST -> m2')

A *check* (`check`) is a scenario (`scenarios`, data in `scenarios/*.yaml`), the example of a rule (`examples`), a row
of a table (`generated`, which also fills the tables of what meets in `meetings/`), what all of these play under another
circumstance (`circumstances`, also made by `generated`) or a state machine (`machines`). All
produce lines of the notation. `features` tells of lines which features they need; finer ones are in
`conformance.sessions.details`.

A state machine puts together *acts* (`machines/acts`: what applications do, as Hypothesis rules) and says in which
words (`machines/vocabulary`); each carries the features that a target needs for it. `machines/search` runs it
until enough departs or the budget is spent, and `conformance.sessions.tally` counts how far it went.
"""
