"""Records over time: the key that tells things apart, what changed between two states, and earlier states from changes."""
