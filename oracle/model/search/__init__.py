"""The search for the message of an MQGET: the first of those that are available and wanted (`selection`).

`wholeness` withholds incomplete groups and reassembles whole messages; what is whole is open in `same_offset`,
`several_ends` and `mixed_segments`. `search_rules`, `group_rules` and `get_rules` have the rules behind the answer.
`first_sight` fixes what a queue manager may choose when a message is first seen.
"""
