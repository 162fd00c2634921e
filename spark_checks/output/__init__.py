"""Directories of output: where they may be, which run owns them, and how their contents are replaced.

`destination` refuses a place before the work begins if nothing can be written there. A directory belongs to one run at
a time (`claims`), and its contents are exchanged as a whole (`exchange`), however the run ends.
"""
