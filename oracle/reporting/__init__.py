"""What the reports of the suite and of the audit have in common: the look of their pages, and JUnit's form."""
