; GDScript.

(class_name_statement name: (_) @name) @definition.class
(class_definition name: (_) @name) @definition.class
(enum_definition name: (_) @name) @definition.enum
(enum_definition body: (_) @wrapper) @wrapper
(enumerator left: (_) @name) @definition.constant
(function_definition name: (_) @name) @definition.function
(constructor_definition "_init" @name) @definition.function
(signal_statement name: (_) @name) @definition.constant
(const_statement name: (_) @name) @definition.constant
(variable_statement name: (_) @name) @definition.constant
(export_variable_statement name: (_) @name) @definition.constant
(onready_variable_statement name: (_) @name) @definition.constant
(annotation) @lead
