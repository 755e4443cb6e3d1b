; VHDL.

[(if_generate_statement) (if_generate) (elsif_generate) (else_generate) (for_generate_statement)
 (case_generate_statement) (generate_statement_body)] @wrapper
[(design_unit) (declarative_part) (generic_clause) (port_clause) (entity_header)
 (component_header) (concurrent_statement_part) (record_type_definition)] @wrapper
(context_clause) @wrapper
(use_clause (selected_name) @import.name) @import
(entity_declaration name: (_) @name) @definition.module @body
(architecture_body name: (_) @name) @definition.module @body
(package_declaration name: (_) @name) @definition.module @body
(package_body package: (_) @name) @definition.module @body
(configuration_declaration name: (_) @name) @definition.module
(context_declaration name: (_) @name) @definition.module
(component_declaration name: (_) @name) @definition.class @body
[(function_body designator: (_) @name) (procedure_body designator: (_) @name)
 (function_declaration designator: (_) @name) (procedure_declaration designator: (_) @name)]
  @definition.function
(full_type_declaration name: (_) @name (record_type_definition) @body) @definition.class
(full_type_declaration name: (_) @name (protected_type_declaration) @body) @definition.class
(full_type_declaration name: (_) @name) @definition.type
(incomplete_type_declaration name: (_) @name) @definition.type
(subtype_declaration name: (_) @name) @definition.type
(element_declaration (identifier_list (identifier) @name)) @definition.constant
[(signal_declaration (identifier_list (identifier) @name))
 (constant_declaration (identifier_list (identifier) @name))
 (variable_declaration (identifier_list (identifier) @name))
 (shared_variable_declaration (identifier_list (identifier) @name))
 (signal_interface_declaration (identifier_list (identifier) @name))
 (constant_interface_declaration (identifier_list (identifier) @name))
 (file_declaration (identifier_list (identifier) @name))
 (attribute_declaration name: (_) @name)
 (alias_declaration designator: (_) @name)] @definition.constant
(process_statement (label (identifier) @name)) @definition.function
(component_instantiation_statement (label (identifier) @name)) @definition.constant
