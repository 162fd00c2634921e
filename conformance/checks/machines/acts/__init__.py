"""What applications do, one kind of act a file: a state machine puts together those that it is about."""
