; Objective-C; what it shares with C is read by the rules of C.

(protocol_declaration . (identifier) @name) @definition.interface @body
(class_interface . (identifier) @name) @definition.class @body
(class_interface category: (_) @name) @definition.class
(class_implementation . (identifier) @name) @definition.class @body
(class_implementation category: (_) @name) @definition.class
(implementation_definition) @wrapper
(qualified_protocol_interface_declaration) @wrapper
(instance_variables) @wrapper

(method_declaration (method_type) . (identifier) @name) @definition.method
(method_declaration . (identifier) @name) @definition.method
(method_definition (method_type) . (identifier) @name (compound_statement) @body)
  @definition.method
(method_definition . (identifier) @name (compound_statement) @body) @definition.method

(property_declaration (struct_declaration (struct_declarator [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))
  (function_declarator declarator: (parenthesized_declarator
    (block_pointer_declarator declarator: (identifier) @name)))]))) @definition.constant
(instance_variable (struct_declaration (struct_declarator [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)]))) @definition.constant
