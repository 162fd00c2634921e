"""The oracle as a queue manager on the network: clients of IBM MQ connect to it over client channels.

    $ mq-oracle listen --port 1414 --queue ORDERS

`server` listens. It has one thread with one event loop, which never blocks: `channel` is one TCP connection, `stream`
cuts what comes into flows within limits, `negotiation` says what both ends agree on, and `heartbeats` when an idle
client is asked whether it is there. `handshake` comes before a channel with TLS. `calls` reads the parameters of a call
(`parameters`; `forms` turns structures between the channel's form and this process's) and gives it to the verbs of
`oracle.standin`, which programs in process call too. Puts that have no reply are counted for MQSTAT and the commit
(`asynchronous`). An MQGET that has to wait is answered when the manager ends it (`RunningQueueManager.get_later`), or
when its own program wishes so (`cancelling`). Clients that have asked for messages in advance are *consumers*
(`consumers`): the server looks for them whenever their queue changed. What flows look like is `oracle.wire`, which the
audit's readers use as well.
"""
