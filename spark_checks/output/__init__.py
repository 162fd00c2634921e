"""Directories of output: where they may be, one run at a time, and exchanged as a whole.

`destination` refuses a place before the work if nothing can be written there. A directory belongs to one run at a time
(`claims`), and its contents are exchanged as a whole (`exchange`), however the run ends.
"""
