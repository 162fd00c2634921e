"""Messages that the queue manager itself puts, and the events that lead to them.

`reports` makes expiration reports, COA and COD. `discards` and `scans` find expired messages. `reply_queues` finds the
queue of a report, `transmission` makes the headers of messages on a transmission queue, and `dead_letters` handles
messages that cannot be put.
"""
