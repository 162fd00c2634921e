"""The actions of applications, one kind of act a file: a state machine combines those that it is about."""
