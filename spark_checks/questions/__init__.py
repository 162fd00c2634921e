"""Questions about a log that are no audit: where a message is, why a call ended as it did, who holds what.

Each question looks up the few calls that it is about, has them prepared as the checks do, and answers in plain Python.
"""
