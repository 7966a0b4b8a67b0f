"""From a definition to a plan: one module per pass."""
