"""The oracle as a queue manager on the network: clients of IBM MQ connect to it over client channels."""
