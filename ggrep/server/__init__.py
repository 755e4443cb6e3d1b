"""A team server: a coordinator, and the search nodes that store pushed snapshots."""
