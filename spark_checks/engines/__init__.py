"""The engines that an audit may run on: how one is chosen, and how Spark is started."""
