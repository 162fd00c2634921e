"""Watching a directory: files are audited as they arrive, in the order of their calls' times; one report is kept."""
