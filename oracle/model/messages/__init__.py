"""A message on a queue, all messages of a queue in their order (`messages`), and where those with an identifier stand.

`made` is what is known of a message beside its descriptor, and `logical_messages` which messages belong together.
"""
