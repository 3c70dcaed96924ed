"""The arithmetic of attention: ops, attention, heads, masks, cost, Java's Random. NumPy alone: no Qt, no files, no state."""
