"""What the state machines may say, as data: few values of everything, so that calls meet often and shrink well."""
