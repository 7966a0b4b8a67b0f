"""A travel plan that is drafted, judged and revised until it is good enough.

`python -m samples.travel_planner "A cheap weekend in Lisbon"` shows the loop as it goes; all of it is rules, no model.
"""
