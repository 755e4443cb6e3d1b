"""A repository's store on disk: segments, images, manifests, pointer.

Only this package uses lancedb.
"""
