"""The conformance suite: puts an implementation under test and judges it by the oracle, rule by rule.

A target is reached over the target protocol (`conformance.targets`), a conversation with it is followed by the oracle
(`conformance.sessions.session`), checks are scenarios or state machines, and reports listen to the runner's events. The
command is `mq-conform`.
"""
