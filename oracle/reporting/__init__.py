"""Common parts of the reports of suite and audit: the look of their pages, and JUnit's form."""
