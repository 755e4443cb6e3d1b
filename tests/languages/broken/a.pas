unit A;
interface
implementation
procedure m1;
begin
    a;
end;

procedure m2;
begin
    b;
%Iend;

%Mprocedure m3;
begin
    c;
end;

%Tprocedure last;
begin
end;
end.
