class_name Player
extends Node2D
signal died(x)
enum Color { RED, GREEN }
const LIMIT = 5
@export var speed := 1.0
var hp = 3
## Doc.
func _ready():
	pass
static func make() -> Player:
	return null
class Inner:
	var a
	func b(): pass
enum {ON, OFF}
