extends Node
func _ready(): pass
signal hit_it
