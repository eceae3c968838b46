"""What the database keeps up to date by itself: counts that screens show, and columns that follow from other rows.

Triggers do it in the transaction that changes the rows, so that no code can forget it and no screen counts a table. `declared` says what
is kept, `triggers` writes the triggers for both databases, `installing` creates them, and `checking` compares what is kept with what a
count of the rows gives, and repairs it.
"""
