"""Messages: one message on a queue, and all messages of a queue in order (`messages`).

`places` has the places of messages with an identifier, `made` the facts of a message besides its descriptor, and
`logical_messages` the relations between messages.
"""
