"""The reports of an audit. All of them are made from `Results`, which is plain data."""
