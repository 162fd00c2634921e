"""Directories of output: where they may be, one run at a time, and exchanged as a whole."""
