"""What the suite does with a target: scenarios, examples, tables and state machines, and the features they need."""
