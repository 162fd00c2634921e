"""The checks as pytest items, and the plugin that brings them."""
