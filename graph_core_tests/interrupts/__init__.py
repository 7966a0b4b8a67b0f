"""Tests of pauses and answers."""
