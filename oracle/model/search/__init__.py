"""Which message an MQGET returns: the first of those that are available and wanted (`selection`).

`wholeness` withholds incomplete groups and puts whole messages together. `search_rules`, `group_rules` and `get_rules`
say which rules the answer rests on. `first_sight` fixes what a queue manager may choose when a message is first seen.
"""
