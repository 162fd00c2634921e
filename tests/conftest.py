"""What holds for every test: property tests are judged by their property, not by the machine's speed that day.

Where the variable CI is set, the same examples are tried every time, so that a build that fails tells of the change
that it builds; everywhere else new ones are sought.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("mqoracle", deadline=None, print_blob=True, derandomize="CI" in os.environ)
settings.load_profile("mqoracle")
