load("//x:y.bzl", "z")
LIMIT = 5
def _impl(ctx):
    """Doc."""
    return []
my_rule = rule(implementation = _impl, attrs = {"a": attr.label()})
