"""The sensitivity of the suite: wrong queue managers, made by patches of the model, and which of them it catches.

    $ mq-conform sensitivity --budget quick

A *miniature* (`miniatures`) is a queue manager that is wrong in one way: a text replaced in the source of one function
or table of the model (`patches`). The patch is applied only while the wrong server answers, so that the oracle beside
it stays right; the model's caches are cleared at every change. `fixtures/miniatures/programs.yaml` names programs that
share no code with the model. `sharpness` runs the suite against all of them. `docs/sensitivity.md` has the result, and
`docs/sensitivity-unseen.md` what the suite caught before it was extended.
"""
