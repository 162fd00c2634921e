"""The rule catalogue: one YAML file an area with its examples, what reads it, and what speaks of its rules."""
