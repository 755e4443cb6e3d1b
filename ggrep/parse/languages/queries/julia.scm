; Julia.

(using_statement (_) @import.name) @import
(import_statement (_) @import.name) @import

(module_definition name: (_) @name (block) @body) @definition.module
(module_definition name: (_) @name) @definition.module

((string_literal)? @doc
  .
  [(function_definition
     (signature [(identifier) @name
                 (call_expression . [(identifier) @name (field_expression (identifier) @name .)
                                     (parametrized_type_expression . (identifier) @name)])
                 (typed_expression
                   . (call_expression . [(identifier) @name
                                         (field_expression (identifier) @name .)]))
                 (where_expression
                   . [(call_expression . [(identifier) @name
                                          (field_expression (identifier) @name .)
                                          (parametrized_type_expression . (identifier) @name)])
                      (typed_expression
                        . (call_expression . [(identifier) @name
                                              (field_expression (identifier) @name .)]))])]))
   (macro_definition (signature (call_expression . (identifier) @name)))]
  @definition.function)

((string_literal)? @doc
  .
  (assignment
    . [(call_expression . [(identifier) @name (field_expression (identifier) @name .)
                           (parametrized_type_expression . (identifier) @name)])
       (typed_expression . (call_expression . [(identifier) @name
                                               (field_expression (identifier) @name .)]))
       (where_expression
         . [(call_expression . [(identifier) @name (field_expression (identifier) @name .)])
            (typed_expression . (call_expression . [(identifier) @name
                                                    (field_expression (identifier) @name .)]))])])
  @definition.function)

((string_literal)? @doc
  .
  (struct_definition
    (type_head [(identifier) @name
                (parametrized_type_expression . (identifier) @name)
                (binary_expression
                  . [(identifier) @name (parametrized_type_expression . (identifier) @name)])])
    (block)? @body)
  @definition.class)
((string_literal)? @doc
  .
  [(abstract_definition
     (type_head [(identifier) @name
                 (parametrized_type_expression . (identifier) @name)
                 (binary_expression
                   . [(identifier) @name (parametrized_type_expression . (identifier) @name)])]))
   (primitive_definition (type_head [(identifier) @name (binary_expression . (identifier) @name)]))]
  @definition.type)
(struct_definition
  (block [(identifier) @name @definition.constant
          (typed_expression . (identifier) @name) @definition.constant]))

((string_literal)? @doc
  . (const_statement (assignment . [(identifier) @name (typed_expression . (identifier) @name)]))
  @definition.constant)
(source_file (assignment . (identifier) @name) @definition.constant)
(module_definition (block (assignment . (identifier) @name) @definition.constant))

(macrocall_expression (macro_identifier (identifier) @_macro)
                      (macro_argument_list . (identifier) @name)
                      (#eq? @_macro "enum")) @definition.enum
(macrocall_expression (macro_argument_list)) @wrapper
(macro_argument_list) @wrapper

; Operators, `Base.:+` and `var"two words"` as names.
([(assignment . (call_expression
    . [(operator) @name
       (field_expression (quote_expression (operator) @name))
       ((prefixed_string_literal prefix: (identifier) @_var) @name (#eq? @_var "var"))]))
  (function_definition (signature (call_expression
    . [(operator) @name
       (field_expression (quote_expression (operator) @name))
       ((prefixed_string_literal prefix: (identifier) @_var) @name (#eq? @_var "var"))])))]
  @definition.function)
