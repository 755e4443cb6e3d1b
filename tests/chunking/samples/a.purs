module Geo where
import Prelude
-- | Doc.
area :: Int -> Int
area x = x * x
data Color = Red | Green Int
type P = { x :: Int }
newtype N = N Int
class Shape a where
  draw :: a -> String
instance shapeN :: Shape N where
  draw _ = ""
foreign import ext :: Int -> Int
type Options = { depth :: Int, deep :: Boolean }
foreign import data Handle :: Type
derive instance eqColor :: Eq Color
instance Show N where
  show _ = ""
