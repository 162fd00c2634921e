"""IBM MQ's programming interface on the model: calls of a client library, carried out by the oracle in this process.

    with queue_manager(["ORDERS"]):                  # oracle.testing
        qmgr = ibmmq.connect("QM1")                  # IBM's own Python, on `extension`
        ibmmq.Queue(qmgr, "ORDERS").put(b"42")

`manager` runs a queue manager; `verbs` performs the MQI verbs on handles and structures as bytes. There are two
entries: `extension` replaces `ibmmqc`, the extension module of IBM's Python client, and `library` is a shared library
with the name and the symbols of the client library `libmqm_r`. Users import `oracle.testing`. `verbs` and
`attribute_verbs` read the structures (`memory`) and find the connection (`connections`). `options` defines the
treatment of every option: none is ignored silently. `manager` carries the call out on the model, one at a time, lets
calls wait, and moves the virtual clock. The command server (`commands`) answers the messages on its queue. Functions
that a program has registered with MQCB (`callbacks`) are called on a thread of their connection (`consuming`), which
looks for messages with the same verbs and counts as waiting in MQGET when there are none. Only this package,
`oracle.testing` and `oracle.network` use threads and real time. Some parts have no rules of the model behind them:
message handles (`properties`), administration by PCF messages (`commands`), and attributes of queues that have no
effect in the model (`attributes`).
"""
