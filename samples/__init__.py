"""Small real programs built on `graph_core`; each runs offline."""
