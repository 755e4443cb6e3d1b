"""What every JSON document of ggrep looks like: types, and the JSON Schemas made of them."""
