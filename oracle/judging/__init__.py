"""Judging what was seen: which outcomes the model allows, whether one fits, and why none does."""
