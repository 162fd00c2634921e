"""The engines that an audit may run on: choosing one, and starting Spark."""
