"""Turns a request into hits: understand, score every visible row, order, cut, format."""
