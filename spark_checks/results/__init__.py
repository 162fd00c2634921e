"""The results of an audit: findings, and the judgement on each rule."""
