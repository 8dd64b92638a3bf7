"""Other libraries' functions by their own names: change one line of imports."""
