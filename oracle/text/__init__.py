"""What reads and writes the files that people hand in: text, JSON and YAML, whole or refused with their line."""
