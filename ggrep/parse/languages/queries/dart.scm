; Dart: a body is the sibling of the signature in front of it.

(import_or_export (_ (import_specification (configurable_uri) @import.name))) @import
(annotation) @lead

(class_definition name: (_) @name) @definition.class
(mixin_declaration (identifier) @name (class_body) @body) @definition.class
(enum_declaration name: (_) @name) @definition.enum
(extension_declaration name: (_) @name) @definition.class
(extension_type_declaration name: (_) @name) @definition.class
(type_alias . (type_identifier) @name) @definition.type
(enum_constant name: (_) @name) @definition.constant

(program [
  (function_signature name: (_) @name)
  (getter_signature name: (_) @name)
  (setter_signature name: (_) @name)] @definition.function . (function_body)? @end)
(local_function_declaration (lambda_expression (function_signature name: (_) @name)))
  @definition.function

((method_signature [
   (function_signature name: (_) @name)
   (getter_signature name: (_) @name)
   (setter_signature name: (_) @name)
   (constructor_signature name: (_) @name)
   (factory_constructor_signature (identifier) @name)
   (operator_signature [(binary_operator) "[]" "[]=" "~"] @name)]) @definition.method . (function_body)? @end)
(declaration [
   (function_signature name: (_) @name)
   (getter_signature name: (_) @name)
   (setter_signature name: (_) @name)
   (constructor_signature name: (_) @name)
   (constant_constructor_signature (identifier) @name)
   (redirecting_factory_constructor_signature (identifier) @name)
   (factory_constructor_signature (identifier) @name)]) @definition.method
(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name)))
  @definition.constant
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name)))
  @definition.constant
(program (static_final_declaration_list (static_final_declaration . (identifier) @name))
  @definition.constant)
(program (initialized_identifier_list (initialized_identifier . (identifier) @name))
  @definition.constant)
