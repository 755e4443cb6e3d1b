"""The lexical side of retrieval: terms, postings, BM25F. Arrays in, arrays out; no I/O."""
