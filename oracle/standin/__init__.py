"""IBM MQ's programming interface on the model: what a client library calls, carried out by the oracle in this process.

    with queue_manager(["ORDERS"]):                  # oracle.testing
        qmgr = ibmmq.connect("QM1")                  # IBM's own Python, on `extension`
        ibmmq.Queue(qmgr, "ORDERS").put(b"42")

`manager` runs a queue manager; `verbs` performs the MQI verbs on handles and structures as bytes. Two ways lead there:
`extension` takes the place of `ibmmqc`, the extension module of IBM's Python client, and `library` is a shared library
with the name and the symbols of the client library `libmqm_r`. `oracle.testing` is the door for users.

`verbs` and `attribute_verbs` read the structures (`memory`) and find the connection (`connections`). `options` says of
every option what becomes of it: nothing is ignored without a word. `manager` carries the call out on the model, one at
a time, lets calls wait, and moves the virtual clock. The command server (`commands`) answers what has come to its
queue. Functions that a program has registered with MQCB (`callbacks`) are called on a thread of their connection
(`consuming`), which looks for messages with the same verbs and counts as waiting in MQGET when there are none. Only
here, in `oracle.testing` and in `oracle.network` does the oracle know threads and real time.

Beside the rules of the model, and without any: message handles (`properties`), administration by PCF messages
(`commands`), and attributes of queues that have no effect in the model (`attributes`).
"""
