function Get-Item2 { 1 }
$script:x = 1
function script:Do-It { 1 }
class Box { [int] Add() { return 1 } }
