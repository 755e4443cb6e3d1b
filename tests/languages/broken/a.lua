function A()
    x = 1
end

function m1()
    a()
end

function m2()
    b()
%Iend

%Mfunction m3()
    c()
end

%Tfunction last() end
