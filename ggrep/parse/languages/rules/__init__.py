"""How each language that queries cannot describe is read: a module a language."""
