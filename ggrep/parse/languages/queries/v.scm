; V.

(import_declaration path: (_) @import.name) @import
(attribute_declaration) @lead
(const_declaration) @wrapper
(const_spec name: (_) @name) @definition.constant
(function_declaration receiver: (parameter_list (parameter_declaration
    type: [(type_identifier) @owner (pointer_type (type_identifier) @owner)]))
  name: (_) @name) @definition.method
(function_declaration name: (_) @name) @definition.function
(struct_declaration name: [(type_identifier) @name (generic_type . (type_identifier) @name)]
                    (struct_field_declaration_list) @body) @definition.class
(struct_declaration name: (_) @name) @definition.class
(struct_field_declaration name: (_) @name) @definition.constant
(enum_declaration name: (_) @name (enum_member_declaration_list) @body) @definition.enum
(enum_member name: (_) @name) @definition.constant
(interface_declaration name: (_) @name (interface_spec_list) @body) @definition.interface
(interface_spec name: (_) @name) @definition.method
(type_declaration name: (_) @name) @definition.type
(global_var_declaration (global_var_spec name: (_) @name)) @definition.constant
