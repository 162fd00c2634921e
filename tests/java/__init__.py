"""IBM's client for Java, unmodified, as the judge of the queue manager on the network."""
