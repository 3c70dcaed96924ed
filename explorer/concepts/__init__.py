"""One file per tab: what it lets the user edit, what it computes, what it shows. No Qt."""
