"""Turns a request into hits: interprets it, scores every visible row, orders, cuts and formats."""
