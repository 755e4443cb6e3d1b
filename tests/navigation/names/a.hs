module H where
(<+>) :: Int -> Int -> Int
a <+> b = a
foldl' f z = z
data T' = T' Int
x `plus` y = x
infixl 6 <$$>
(<$$>) a b = a
