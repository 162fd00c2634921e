"""The checks of the suite: scenarios, examples, tables and state machines, and the features that they need.

>>> from conformance.checks.scenarios import scenarios
>>> [sweep] = [each for each in scenarios() if each.id == "browse/sweep-by-priority"]
>>> sweep.rules, sweep.steps.splitlines()[5]
(('PRI-03',), 'get h BROWSE_FIRST -> m2')

A *check* (`check`) is a scenario (`scenarios`, data in `scenarios/*.yaml`), the example of a rule (`examples`), a row
of a table (`generated`, which also fills the tables in `meetings/`), the history of another check under a circumstance
(`circumstances`, also made by `generated`) or a state machine (`machines`). All produce lines of the notation.
`features` finds the features that lines need; finer ones are in `conformance.sessions.details`. A state machine
combines *acts* (`machines/acts`: actions of applications, drawn at random) with a vocabulary
(`machines/vocabulary`); each word has the features that a target needs for it. `machines/search` runs the machine until
enough departures are found or the budget is spent, and `conformance.sessions.tally` counts what it reached.
"""
