; PureScript.

(import module: (_) @import.name) @import
(purescript (signature) @lead)
((purescript (function name: (_) @name) @definition.function) (#set! clauses))
(class_declaration (class_head (class_name) @name) (class_body)? @body) @definition.interface
(class_body (signature name: (_) @name) @definition.method)
(class_instance (instance_name) @name) @definition.constant @body
(class_instance) @wrapper
(class_instance (function name: (_) @name) @definition.method)
(derive_declaration (instance_name) @name) @definition.constant
(data name: (_) @name) @definition.enum @body
(data (constructor) @name @definition.constant)
(newtype name: (_) @name) @definition.class
(type_alias name: (_) @name (record_type_literal) @body) @definition.class
(type_alias name: (_) @name) @definition.type
(row_field . (field_name) @name) @definition.constant
(kind_value_declaration name: (_) @name) @definition.type
(foreign_import name: (_) @name) @definition.function
