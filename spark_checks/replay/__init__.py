"""The oracle replays what has a certain order, queue by queue, with the step function of all other drivers.

What happens on a queue depends on the calls on that queue and on the ends of units of work of the connections that use
it. So each queue is followed by itself, and only those calls need a certain order.
"""
