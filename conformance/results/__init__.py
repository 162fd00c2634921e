"""What came of a run: verdicts on rules, defects under their headings, and the document that reports are made of."""
