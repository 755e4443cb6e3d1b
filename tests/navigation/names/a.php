<?php
namespace App\Models;
class User {
  public $name;
  const MAX = 1;
  public function __get($x) { return $x; }
}
function &by_ref() {}
