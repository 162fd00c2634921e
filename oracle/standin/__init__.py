"""IBM MQ's programming interface on the model: what a client library calls, carried out by the oracle in this process.

`manager` runs a queue manager; `verbs` performs the MQI verbs on handles and structures as bytes. Two ways lead there:
`extension` takes the place of `ibmmqc`, the extension module of IBM's Python client, and `library` is a shared library
with the name and the symbols of the client library `libmqm_r`. `oracle.testing` is the door for users.

Beside the rules of the model, and without any: message handles (`properties`), administration by PCF messages
(`commands`), and attributes of queues that have no effect in the model (`attributes`).
"""
