module A
contains
  subroutine m1()
    call a()
  end subroutine

  subroutine m2()
    call b()
%I  end subroutine

%M  subroutine m3()
    call c()
  end subroutine

%T  subroutine last()
  end subroutine
end module
