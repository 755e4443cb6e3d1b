proc ::ns::go {x} { return $x }
proc my-proc {x} { return $x }
namespace eval inner { proc run! {} {} }
