"""Types of every JSON document of ggrep, and the JSON Schemas generated from them."""
