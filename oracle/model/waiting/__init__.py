"""Calls that wait for a message (`waiters`), and how an event ends them (`waiting`)."""
