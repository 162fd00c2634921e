"""The MQI as values and as bytes: what calls are made of, without what a queue manager does with them.

`calls` has the calls, `structures` what applications pass to them, `definitions` the attributes of queues and queue
managers, `constants` and `reasons` the names of the C header. `binary` and the layouts beside it write structures as
clients and queue managers exchange them, `pcf` does so with command messages. `profile` is the platform.
"""
