"""The demonstration: a simulated day with planted defects."""
