"""Readers: they turn files of several formats into the records of the event log."""
