using module Foo
<# .SYNOPSIS x #>
function Get-Area {
  param([int]$X)
  $X
}
filter Only-Even { $_ }
class Shape : Base {
  [int]$x
  static [int] $y = 2
  Shape([int]$x) { }
  [int] Area() { return 1 }
}
enum Color { Red; Green = 2 }
$Limit = 5
workflow W { }
