"""Histories: the notation, its execution as calls, and the event log that records them."""
