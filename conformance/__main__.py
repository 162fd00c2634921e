"""The command `mq-conform` as `python -m conformance`."""

from __future__ import annotations

from conformance.start import main

if __name__ == "__main__":
    main()
