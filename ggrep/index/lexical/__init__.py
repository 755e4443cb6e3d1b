"""Lexical retrieval: terms, postings and BM25F, computed on arrays without I/O."""
