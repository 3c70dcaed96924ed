"""What tabs about heads share: several heads at once, heads built by hand, shapes that may be typed. No tab."""
