"""Looking after stores: health, status, inventory, removal."""
