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
module wide
  import pkg::*;
#(parameter int W = 4) (input logic clk);
  typedef enum logic {IDLE, BUSY} phase_e;
  typedef struct packed { logic valid; logic [3:0] data; } beat_t;
  for (genvar i = 0; i < W; i++) begin : g_lane
    lane u_lane (.clk(clk));
  end
endmodule
