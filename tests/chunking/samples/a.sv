`define WIDTH 8
package pkg;
  typedef enum logic [1:0] {IDLE, RUN} state_t;
  function automatic int add(int a, int b);
    return a + b;
  endfunction
endpackage
// Counter.
module counter #(parameter N = 8) (input clk, output reg [N-1:0] q);
  localparam M = 3;
  wire w;
  reg r;
  task reset; begin q <= 0; end endtask
  function [7:0] inc; input [7:0] a; inc = a + 1; endfunction
  always @(posedge clk) q <= q + 1;
  sub u_sub(.a(w));
endmodule
interface bus_if(input clk); logic valid; modport m(input valid); endinterface
class Packet extends Base; rand int len; function new(); endfunction virtual task send(); endtask endclass
