"""Maintenance of stores: health, status, inventory, removal."""
