"""What several samples need."""
