package require Tk
namespace eval ::geo { variable limit 5
  proc area {x} { return $x }
}
# Doc.
proc ::geo::run {a b} { }
set top 5
oo::class create Circle { method draw {} {} }
