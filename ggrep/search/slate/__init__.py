"""Builds slates: answers that list files by section, with their best lines, within budgets."""
