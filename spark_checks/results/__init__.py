"""What came of an audit: findings, and what is said of each rule."""
