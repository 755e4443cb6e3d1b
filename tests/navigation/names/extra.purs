module P where
foo' x = x
infixl 6 plus as <+>
plus a b = a
