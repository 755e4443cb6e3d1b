module \my-mod (input a); endmodule
module top(input a); endmodule
