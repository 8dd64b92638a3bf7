"""Source → Snapshot: fetched, rendered or read. The only place with network or browser."""
