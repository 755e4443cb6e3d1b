library ieee;
use ieee.std_logic_1164.all;
entity counter is
  generic (N : integer := 8);
  port (clk : in std_logic; q : out std_logic);
end counter;
architecture rtl of counter is
  signal s : std_logic;
  constant LIMIT : integer := 5;
  type state_t is (IDLE, RUN);
  component sub is port (a : in std_logic); end component;
  function inc(a : integer) return integer is begin return a; end function;
begin
  p1 : process(clk) begin end process;
  u1 : sub port map (a => s);
end rtl;
package pkg is
  procedure run(a : integer);
  constant C : integer;
end package;
package body pkg is
  procedure run(a : integer) is begin end procedure;
end package body;
architecture made of counter is
begin
  g1 : if N > 1 generate
    signal inner : std_logic;
  begin
    p2 : process(inner) begin end process;
  end generate;
end made;
