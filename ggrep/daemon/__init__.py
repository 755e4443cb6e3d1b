"""One store served: socket, admission, watching, and what is measured of them."""
