module L
let (|Hot|Cold|) n = if n > 20 then Hot else Cold
