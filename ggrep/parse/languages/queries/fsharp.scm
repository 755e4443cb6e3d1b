; F#.

(import_decl (_) @import.name) @import
(attributes) @lead

(namespace name: (_) @name) @definition.module @body
(named_module name: (_) @name) @definition.module @body
(module_defn (identifier) @name) @definition.module @body
(module_abbrev . (identifier) @name) @definition.type

(declaration_expression (function_or_value_defn (function_declaration_left . (_) @name)))
  @definition.function
(declaration_expression (function_or_value_defn (value_declaration_left . (_) @name)
                                                body: (fun_expression))) @definition.function
(declaration_expression (function_or_value_defn (value_declaration_left [
    (identifier_pattern . (_) @name)
    (repeat_pattern (identifier_pattern . (_) @name))
    (paren_pattern (repeat_pattern (identifier_pattern . (_) @name)))
    (record_pattern (field_pattern (identifier_pattern . (_) @name)))
  ]))) @definition.constant
(type_extension_elements (function_or_value_defn (function_declaration_left . (_) @name))
  @definition.method)
(type_extension_elements (function_or_value_defn (value_declaration_left [
    (identifier_pattern . (_) @name)
    (repeat_pattern (identifier_pattern . (_) @name))])) @definition.constant)

; Types behind `and` stand beside the first of them.
(type_definition (_ (type_name)) (_ (type_name))) @wrapper.thin @nothing
(type_definition (_ (type_name)) [
    (record_type_defn (type_name type_name: (_) @name) block: (_) @body) @definition.class
    (union_type_defn (type_name type_name: (_) @name) block: (_) @body) @definition.enum
    (enum_type_defn (type_name type_name: (_) @name) block: (_) @body) @definition.enum
    (interface_type_defn (type_name type_name: (_) @name) block: (_) @body) @definition.interface
    (anon_type_defn (type_name type_name: (_) @name)) @definition.class @body
  ])
(type_definition [
    (record_type_defn (type_name type_name: (_) @name) block: (_) @body) @definition.class
    (union_type_defn (type_name type_name: (_) @name) block: (_) @body) @definition.enum
    (enum_type_defn (type_name type_name: (_) @name) block: (_) @body) @definition.enum
    (interface_type_defn (type_name type_name: (_) @name) block: (_) @body) @definition.interface
    (anon_type_defn (type_name type_name: (_) @name)) @definition.class @body
  ] (_ (type_name)))
(type_definition (_ (type_name)) (_ (type_name type_name: (_) @name)) @definition.type)
(type_definition (_ (type_name type_name: (_) @name)) @definition.type (_ (type_name)))
(type_definition (record_type_defn (type_name type_name: (_) @name) block: (_) @body))
  @definition.class
(type_definition (union_type_defn (type_name type_name: (_) @name) block: (_) @body))
  @definition.enum
(type_definition (enum_type_defn (type_name type_name: (_) @name) block: (_) @body))
  @definition.enum
(type_definition (interface_type_defn (type_name type_name: (_) @name) block: (_) @body))
  @definition.interface
(type_definition (anon_type_defn (type_name type_name: (_) @name)) @body) @definition.class
(type_definition (_ (type_name type_name: (_) @name))) @definition.type
(anon_type_defn) @wrapper
(record_type_defn) @wrapper
(union_type_defn) @wrapper
(type_extension (type_name type_name: (_) @name)) @definition.class @body
(exception_definition exception_name: (_) @name) @definition.class
(record_field . (identifier) @name) @definition.constant
((union_type_case . (identifier) @name) @definition.constant (#match? @name "^[A-Z]"))
(enum_type_case . (identifier) @name) @definition.constant

(member_defn (method_or_prop_defn name: (property_or_ident (identifier) @name .)))
  @definition.method
(member_defn (property_or_ident (identifier) @name .)) @definition.constant
(member_defn (identifier) @name) @definition.constant
(member_defn (value_declaration (function_or_value_defn [
    (function_declaration_left . (_) @name)
    (value_declaration_left (identifier_pattern . (_) @name))
  ]))) @definition.constant
(member_defn (member_signature . (identifier) @name)) @definition.method
[(type_extension_elements) (interface_implementation) (record_fields) (union_type_cases)] @wrapper
