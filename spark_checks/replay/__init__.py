"""The oracle replays what has a certain order, queue by queue, with the step function of all other drivers.

What happens on a queue depends on the calls on that queue and on the ends of units of work of the connections that use
it. So each queue is followed by itself, and only those calls need a certain order.

Queues that were empty when the log began are followed. Their calls are cut into pieces where a queue is surely empty
and at rest, and a piece is followed as far as its order is certain. A departure is a finding unless a check blames the
same call for the same. From day to day the oracle follows a queue on from where it was last at rest (`rests`).
"""
