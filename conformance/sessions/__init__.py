"""One queue manager of a target at a time: its dialogue, its clock, and the oracle that follows it."""
