"""The rule catalogue: one YAML file an area, its examples, and what reads, counts and finds rules."""
