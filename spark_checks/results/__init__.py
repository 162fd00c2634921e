"""What came of an audit: findings, what is said of each rule, and what would let more be checked."""
