; Nim.

(import_statement (expression_list (_) @import.name)) @import
(import_from_statement module: (_) @import.name) @import
[(const_section) (var_section) (let_section) (type_section) (when) (statement_list)
 (elif_branch) (else_branch)] @wrapper
([(proc_declaration name: [(exported_symbol (_) @name) (identifier) @name
                           (accent_quoted) @name])
  (func_declaration name: [(exported_symbol (_) @name) (identifier) @name (accent_quoted) @name])
  (method_declaration name: [(exported_symbol (_) @name) (identifier) @name
                             (accent_quoted) @name])
  (template_declaration name: [(exported_symbol (_) @name) (identifier) @name
                               (accent_quoted) @name])
  (macro_declaration name: [(exported_symbol (_) @name) (identifier) @name])
  (iterator_declaration name: [(exported_symbol (_) @name) (identifier) @name
                               (accent_quoted) @name])
  (converter_declaration name: [(exported_symbol (_) @name) (identifier) @name])]
 @definition.function)
(type_declaration (type_symbol_declaration name: [(exported_symbol (_) @name) (identifier) @name])
                  [(object_declaration) @body (ref_type (object_declaration) @body)
                   (pointer_type (object_declaration) @body)
                   (type_expression (tuple_type) @body)]) @definition.class
(type_declaration (type_symbol_declaration name: [(exported_symbol (_) @name) (identifier) @name])
                  (enum_declaration) @body) @definition.enum
(type_declaration (type_symbol_declaration name: [(exported_symbol (_) @name) (identifier) @name]))
  @definition.type
[(field_declaration_list) (variant_declaration)] @wrapper
(variant_declaration (of_branch) @wrapper)
(variant_discriminator_declaration (symbol_declaration_list (symbol_declaration
  name: [(exported_symbol (_) @name) (identifier) @name]))) @definition.constant
(field_declaration (symbol_declaration_list (symbol_declaration
  name: [(exported_symbol (_) @name) (identifier) @name]))) @definition.constant
(enum_field_declaration (symbol_declaration
  name: [(exported_symbol (_) @name) (identifier) @name])) @definition.constant
(variable_declaration (symbol_declaration_list (symbol_declaration
  name: [(exported_symbol (_) @name) (identifier) @name]))) @definition.constant
