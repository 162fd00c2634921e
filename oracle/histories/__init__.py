"""Histories: the notation, its words carried out as calls, and the event log that records them."""
