"""By what application activity trace is known, and where its records begin."""

from __future__ import annotations

import re

JSON_EVENT = re.compile(rb'\{\s*"(?:eventSource|eventType|eventReason|eventCreation|eventData|correlationID)"\s*:')
"""Where an event begins as `amqsevt` prints it: these members stand nowhere but at its top."""

JSON_TRACE = re.compile(rb'"eventType"\s*:\s*\{[^{}]{0,200}?(?:"Activity Trace"|:\s*"?209\b)')
"""What says that an event is activity trace, as `amqsevt` prints it."""

TEXT_MESSAGE = re.compile(rb"^MonitoringType:", re.MULTILINE)
"""Where a trace message begins as `amqsact -v` prints it."""
