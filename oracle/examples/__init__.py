"""The examples of rules, played: what each rule accepts and rejects, and which rules the model covers by them."""
