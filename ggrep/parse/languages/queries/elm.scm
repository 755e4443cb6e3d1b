; Elm.

(import_clause moduleName: (_) @import.name) @import
(type_annotation) @lead
(value_declaration functionDeclarationLeft: (function_declaration_left
  . (lower_case_identifier) @name . (_))) @definition.function
(value_declaration functionDeclarationLeft: (function_declaration_left
  . (lower_case_identifier) @name)) @definition.constant
(type_declaration name: (_) @name) @definition.enum @body
(union_variant name: (_) @name) @definition.constant
(type_alias_declaration name: (_) @name) @definition.class
(port_annotation name: (_) @name) @definition.function
