"""One repository's store on disk: segments, images, manifests, the pointer. Owns lancedb."""
