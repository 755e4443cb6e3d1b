; Gleam.

(import module: (_) @import.name) @import
(attribute) @lead
(function name: (_) @name) @definition.function
(external_function name: (_) @name) @definition.function
(type_definition (type_name name: (_) @name) (data_constructors) @body) @definition.class
(type_definition (type_name name: (_) @name)) @definition.class
(data_constructor name: (_) @name) @definition.constant
(type_alias (type_name name: (_) @name)) @definition.type
(external_type (type_name name: (_) @name)) @definition.type
(constant name: (_) @name) @definition.constant
