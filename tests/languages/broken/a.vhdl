package body A is
    procedure m1 is
    begin
        a;
    end m1;

    procedure m2 is
    begin
        b;
%I    end m2;

%M    procedure m3 is
    begin
        c;
    end m3;

%T    procedure last is
    begin
        null;
    end last;
end A;
