"""Messages that the queue manager itself puts, and the ends of messages that lead to them.

`reports` makes expiration reports, COA and COD. `discards` and `scans` find expired messages. `reply_queues` says where
a report goes, `transmission` what is put before the data on a transmission queue, and `dead_letters` what happens to
that which cannot be put.
"""
