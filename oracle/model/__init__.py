"""The reference model: one concept of the MQI a file; `queue_manager` puts them together.

>>> from oracle.model.queue_manager import new_state, outcomes
>>> from oracle.mqi.calls import Connect, Commit
>>> [each.reply.reason for each in outcomes(new_state([]), Commit("A"))]
[<MQRC.HCONN_ERROR: 2018>]
>>> [connected] = outcomes(new_state([]), Connect("A"))
>>> [each.reply.reason for each in outcomes(connected.state, Commit("A"))]
[<MQRC.NONE: 0>]

A call goes through the subpackages in this order: `requests` reads it once, `get/checks` or `put/checks` refuse it,
`search` finds the message of a get, `get/get.py` and `put/put.py` carry it out, `conversion` makes the data that a get
returns, `reports` and `triggers` put what the queue manager itself puts, and `waiting` ends the calls that waited for
it. Below them are `state` and `messages`, which are data. `tests/test_architecture.py` says which may import which.

A *state* is plain data, and a *call* is an MQI call or an event (`oracle.mqi.calls`). If the documents leave a choice,
the model asks `Step.choose(question, answers)`, and `step` plays the call once for every sequence of answers. So the
model reads as an ordinary program, and choices are data. `oracle/data/choices.yaml` has each question with its answers,
and the passage that states the first one most plainly (`docs/choices.md`). Each decision notes its rules with
`Step.because`.

A decision that depends only on immutable values, such as which options exclude each other, is a function of these
values with a cache of limited size; its docstring says so. Everything else reads the state. `oracle.values` copies a
value with some members changed.

A rule that a call must not change something shows only at a later call. So a handle carries its *grounds* (`grounds`):
the rules behind its cursor, lock and browsed group. Later calls cite them. They have no effect, and states that differ
only in them are equal.

A message channel is two steps, one of each queue manager's state (`channels`): `calls.Transmit` takes a message from a
transmission queue into `Outcome.sent`, and `calls.Deliver` puts it at the other end. They are for use in process; the
target protocol has no request for them. `Outcome.posted` has the signals that a step delivers.
"""
