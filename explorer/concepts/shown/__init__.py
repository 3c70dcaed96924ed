"""What drawn views show, as plain data: one module per kind of view, and how large counts are written.

A tab fills these in; a view draws them; neither knows the other. Sizes, colours and pixels are not here.
"""
