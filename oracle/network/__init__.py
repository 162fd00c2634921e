"""The oracle as a queue manager on the network: clients of IBM MQ connect to it over client channels.

    $ mq-oracle listen --port 1414 --queue ORDERS

`server` listens. It has one thread with one event loop, which never blocks. `channel` is one TCP connection, `stream`
splits received bytes into flows within limits, `negotiation` determines what both ends agree on, and `heartbeats` when
an idle client is asked for a sign of life. `handshake` precedes a channel with TLS. `calls` reads the parameters of a
call (`parameters`; `forms` converts structures between the channel's form and this process's) and passes it to the
verbs of `oracle.standin`, which programs in this process call too. Puts without a reply are counted for MQSTAT and the
commit (`asynchronous`). An MQGET that waits is answered when the manager ends it (`RunningQueueManager.get_later`), or
when its own program cancels it (`cancelling`). Clients that ask for messages in advance are *consumers* (`consumers`):
the server looks for messages whenever their queue has changed. `oracle.wire` defines the flows, which the audit's
readers use as well.
"""
