"""The rule catalogue: one YAML file an area with its examples, its readers, and lookups of its rules."""
