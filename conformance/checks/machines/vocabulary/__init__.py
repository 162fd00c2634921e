"""The vocabulary of the state machines, as data: few values of everything, so that calls meet often and shrink well."""
