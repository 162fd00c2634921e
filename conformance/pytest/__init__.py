"""The checks as pytest items, and the pytest plugin."""
