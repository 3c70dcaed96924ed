"""What the user has open: tab states, history, sessions, recovery, export of data. No Qt."""
