"""Makes the fixture `mq_queue_manager` known, and `import ibmmq` work without IBM's client library."""

pytest_plugins = ["oracle.testing.plugin"]
