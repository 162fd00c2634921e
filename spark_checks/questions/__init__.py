"""Questions about a log: where a message is, why a call ended as it did, who holds what.

Each question looks up the few calls that it is about, prepares them as for the checks, and is answered in plain Python.
"""
