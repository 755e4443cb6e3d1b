proc `+`(a, b: int): int = a
proc `[]=`(a, b: int): int = a
proc name*(a: int): int = a
