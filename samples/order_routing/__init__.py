"""What becomes of an order: approved, rejected, or put aside; a branch to which something is unclear asks a person.

`python -m samples.order_routing` sends a few orders through the graph. Credit and stock are asked at the same time, and
customs too if the order leaves the country. Whichever of them can not tell pauses, while the others go on, until a
person has answered; the answers come together, and by them it is decided.
"""
