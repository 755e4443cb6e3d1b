; Ada.

(compilation_unit) @wrapper
(with_clause (_) @import.name) @import
(package_declaration name: (_) @name) @definition.module @body
(package_body name: (_) @name) @definition.module @body
(generic_package_declaration (package_declaration name: (_) @name) @body) @definition.module
(generic_subprogram_declaration [
  (function_specification name: (_) @name) (procedure_specification name: (_) @name)])
  @definition.function
[(non_empty_declarative_part)] @wrapper
(subprogram_body [
  (function_specification name: (_) @name) (procedure_specification name: (_) @name)])
  @definition.function
(subprogram_declaration [
  (function_specification name: (_) @name) (procedure_specification name: (_) @name)])
  @definition.function
(null_procedure_declaration (procedure_specification name: (_) @name)) @definition.function
(expression_function_declaration (function_specification name: (_) @name)) @definition.function
(subprogram_renaming_declaration [
  (function_specification name: (_) @name) (procedure_specification name: (_) @name)])
  @definition.function
(full_type_declaration . (identifier) @name (record_type_definition) @body) @definition.class
(full_type_declaration . (identifier) @name (enumeration_type_definition) @body) @definition.enum
(full_type_declaration . (identifier) @name (derived_type_definition) @body) @definition.class
(full_type_declaration . (identifier) @name) @definition.type
[(record_definition) (record_extension_part) (component_list) (variant_part) (variant_list) (variant)
 (protected_definition) (subunit)] @wrapper
(component_declaration (identifier) @name) @definition.constant
(enumeration_type_definition (identifier) @name @definition.constant)
(private_type_declaration . (identifier) @name) @definition.class
(private_extension_declaration . (identifier) @name) @definition.class
(incomplete_type_declaration . (identifier) @name) @definition.type
(subtype_declaration . (identifier) @name) @definition.type
(task_type_declaration . (identifier) @name) @definition.class
(single_task_declaration . (identifier) @name) @definition.class
(task_body . (identifier) @name) @definition.function
(protected_type_declaration . (identifier) @name) @definition.class @body
(single_protected_declaration . (identifier) @name) @definition.class @body
(protected_body . (identifier) @name) @definition.class @body
(entry_declaration . (identifier) @name) @definition.method
(object_declaration name: (identifier) @name) @definition.constant
(number_declaration . (identifier) @name) @definition.constant
(exception_declaration . (identifier) @name) @definition.constant
(generic_instantiation name: (_) @name) @definition.module
(package_renaming_declaration name: (_) @name) @definition.module
(full_type_declaration [(protected_type_declaration) (task_type_declaration)]) @wrapper
