pragma solidity ^0.8;
import "./X.sol";
/// Doc.
contract Token is Base {
  uint256 public total;
  mapping(address => uint) balances;
  event Sent(address a);
  error Bad(uint x);
  struct S { uint a; }
  enum E { A, B }
  modifier only() { _; }
  constructor(uint x) { }
  function send(address to) public returns (bool) { return true; }
  receive() external payable {}
  fallback() external {}
}
interface I { function go() external; }
library L { function f() internal {} }
uint constant LIMIT = 5;
function free() pure {}
type T is uint;
contract Kept { uint size; constructor(uint s) { size = s; } }
