class A
    def m1
        a()
    end

    def m2
        b()
%I    end

%M    def m3
        c()
    end
end

%Tdef last
end
