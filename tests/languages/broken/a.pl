package A;

sub m1 {
    a();
}

sub m2 {
    b();
%I}

%Msub m3 {
    c();
}

%Tsub last { 1 }
