"""What a handle that browses keeps between calls: its cursor and its lock (`browse`), and the marks (`marks`)."""
