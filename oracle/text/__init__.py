"""Reading and writing of users' files: text, JSON and YAML, whole or refused with their line."""
