"""What becomes of an order: approved, rejected, or put before a person.

`python -m samples.order_routing` sends a few orders through the graph. Credit and stock are asked at the same time, and
customs too if the order leaves the country; the answers come together, and by them it is decided.
"""
