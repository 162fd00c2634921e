"""How sharp the suite is: wrong queue managers, made by patches of the model, and which of them it catches."""
