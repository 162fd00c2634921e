"""Coverage: how far a log lets each rule be checked, the rules without a check, and what would let more be checked."""
