"""Audits day after day: the calls that are carried from one day to the next, and how they are kept.

    $ mq-audit run monday.jsonl --state state --out monday
    $ mq-audit run tuesday.jsonl --state state --out tuesday

A day's calls are judged together with those carried from earlier days. `carrying` selects these: the calls that a check
looks back at must be carried. `context` adds what those calls need around them, and `memory` keeps them, and the
findings already reported. Shapes and counts are judged on the day of their calls only (`judged_now`).
"""
