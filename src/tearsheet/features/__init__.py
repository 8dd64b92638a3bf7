"""Measures that several methods share: columns per node and per segment, boxes, sequences."""
