"""What Tearsheet costs, as ratios to others in the same run."""
