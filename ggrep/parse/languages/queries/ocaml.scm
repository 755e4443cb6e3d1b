; OCaml structures.

(open_module module: (_) @import.name) @import

(value_definition (let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)] (parameter)))
  @definition.function
(value_definition (let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)]
                               body: [(fun_expression) (function_expression)]))
  @definition.function
(value_definition (let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)]))
  @definition.constant
(external (value_name) @name) @definition.function
(value_specification [(value_name) @name (parenthesized_operator (_) @name)]) @definition.constant

(type_definition (type_binding name: (_) @name body: (record_declaration) @body)) @definition.class
(type_definition (type_binding name: (_) @name body: (variant_declaration) @body)) @definition.enum
(type_definition (type_binding name: (_) @name)) @definition.type
(field_declaration (field_name) @name) @definition.constant
(constructor_declaration (constructor_name) @name) @definition.constant
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.class

(module_definition (module_binding (module_name) @name body: (_) @body)) @definition.module
(module_definition (module_binding (module_name) @name)) @definition.module
(module_type_definition (module_type_name) @name body: (signature) @body) @definition.interface
(module_type_definition (module_type_name) @name) @definition.interface

(class_definition (class_binding (class_name) @name body: (_) @body)) @definition.class
(class_type_definition (class_type_binding (class_type_name) @name body: (_) @body))
  @definition.interface
(method_definition (method_name) @name) @definition.method
(method_specification (method_name) @name) @definition.method
(instance_variable_definition (instance_variable_name) @name) @definition.constant
[(module_application) (structure) (signature) (parenthesized_module_expression) (functor)
 (typed_module_expression) (packed_module)] @wrapper
