"""Audits day after day: what is carried from one day to the next, and how it is kept.

    $ mq-audit run monday.jsonl --state state --out monday
    $ mq-audit run tuesday.jsonl --state state --out tuesday

A day's calls are judged together with those carried from earlier days. `carrying` says which these are: a check that
looks back at calls which it does not name yet must have them carried. `context` adds what those calls need around them,
and `memory` keeps them, and the findings already reported. Shapes and counts are judged on the day of their calls only
(`judged_now`).
"""
