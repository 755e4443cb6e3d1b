"""An answer before there is an index: the tree is looked through, its best files are ranked."""
