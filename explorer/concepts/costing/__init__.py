"""What tab 12 is made of: the shape that is asked about, the study of it, its plots and its tables. No tab."""
