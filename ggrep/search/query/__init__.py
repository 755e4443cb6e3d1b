"""A request becomes hits: understood, scored over every visible row, ordered, cut, shown."""
