"""The state that a handle keeps when it browses: its cursor and its lock (`browse`), and the marks (`marks`)."""
