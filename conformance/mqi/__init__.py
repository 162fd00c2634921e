"""The target that is a queue manager, reached through the MQI's C interface.

`library` and `seat` make the calls, in a process of its own for each connection, and import nothing of this project.
The rest runs in the suite's process: `structures` turns requests of the target protocol into the arguments of calls,
`administrator` makes queues, and `target` combines them.
"""
