"""The conformance suite: puts an implementation under test and judges it by the oracle, rule by rule.

    $ mq-conform run --target "mq-oracle serve" --budget quick

A target is reached over the target protocol (`conformance.targets`), a session with it is followed by the oracle
(`conformance.sessions.session`), checks are scenarios, examples, tables and state machines (`conformance.checks`), and
reports listen to the runner's events (`conformance.results.events`). The subcommands are `conformance.commands`, one a
file. The command begins in `start`, which handles signals before anything else is imported.

The suite is held against `fixtures/miniatures` (the model, wrong in one way), `fixtures/variants` (the model, with
other lawful answers), `fixtures/independent` (a queue manager that shares no code with it, and wrong variants) and
`fixtures/naive` (a stranger with fifteen defects, all known, which the report must tell apart).
"""
