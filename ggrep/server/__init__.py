"""A team server: search nodes that hold pushed snapshots, and the coordinator that asks them."""
