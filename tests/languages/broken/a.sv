package A;
    function m1;
        a();
    endfunction

    function m2;
        b();
%I    endfunction

%M    function m3;
        c();
    endfunction
endpackage

%Tmodule last;
endmodule
