module Geo exposing (..)
import Html exposing (div)
{-| Doc. -}
area : Int -> Int
area x = x * x
limit = 5
type Color = Red | Green Int
type alias P = { x : Int }
port send : String -> Cmd msg
