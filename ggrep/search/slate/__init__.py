"""Slates: hits arranged into sections and packs, within budgets. Pure: values in, values out."""
