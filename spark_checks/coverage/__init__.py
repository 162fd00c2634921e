"""How far a log lets each rule be checked: the rules with and without a check, and what would let more be checked."""
