module geo
  use iso_c
  implicit none
  integer, parameter :: limit = 5
  type, extends(base) :: circle
    real :: r
  contains
    procedure :: area => circle_area
  end type circle
  interface draw
    module procedure draw_c
  end interface
contains
  ! Doc.
  pure function circle_area(this) result(a)
    real :: a
  end function
  subroutine run(x)
  end subroutine run
end module geo
program main
end program
