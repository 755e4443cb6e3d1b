"""Slates: hits arranged into sections and packs, under budgets. Pure: values in, values out."""
