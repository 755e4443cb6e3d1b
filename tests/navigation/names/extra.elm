module P exposing (..)
foo_ x = x
