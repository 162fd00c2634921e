"""Reports: listeners that turn the runner's events into a console page, JUnit XML and JSON."""
