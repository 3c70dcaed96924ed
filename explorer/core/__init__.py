"""The arithmetic of attention: ops, heads, masks, cost, Java's Random. NumPy alone: no Qt, no files, no state."""
