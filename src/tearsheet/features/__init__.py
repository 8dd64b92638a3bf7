"""What several methods measure: named columns per node and per segment, boxes, sequences."""
