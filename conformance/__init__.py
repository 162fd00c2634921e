"""The conformance suite: puts an implementation under test and judges it by the oracle, rule by rule.

    $ mq-conform run --target "mq-oracle serve" --budget quick

A target is reached through the target protocol (`conformance.targets`). The oracle follows each session with it
(`conformance.sessions.session`). Checks are scenarios, examples, tables and state machines (`conformance.checks`).
Reports listen to the runner's events (`conformance.results.events`). The subcommands are in `conformance.commands`, one
a file. The command begins in `start`, which handles signals before anything else is imported.

The suite itself is tested with `fixtures/miniatures` (the model, wrong in one way), `fixtures/variants` (the model with
other lawful answers), `fixtures/independent` (a queue manager that shares no code with the model, and wrong variants of
it) and `fixtures/naive` (a queue manager with fifteen known defects, which the report must separate).
"""
