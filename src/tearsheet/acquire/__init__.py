"""Source → Snapshot: fetched, rendered or read. Nothing else uses the network or a browser."""
