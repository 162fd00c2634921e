"""The watch of a directory: files are audited as they arrive, in the order of their calls' times, into one report."""
