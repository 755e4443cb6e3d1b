; Perl.

(use_statement module: (_) @import.name) @import

(package_statement name: (_) @name (block) @body) @definition.module
(package_statement name: (_) @name) @definition.module
(class_statement name: (_) @name) @definition.class
(role_statement name: (_) @name) @definition.class
(subroutine_declaration_statement name: (_) @name) @definition.function
(method_declaration_statement name: (_) @name) @definition.method

(source_file (expression_statement (assignment_expression
  left: (variable_declaration [
    variable: (_ (varname) @name)
    variables: (_ (varname) @name)])))
  @definition.constant)
(source_file (expression_statement (variable_declaration [
    variable: (_ (varname) @name)
    variables: (_ (varname) @name)]))
  @definition.constant)
(block (expression_statement (assignment_expression
  left: (variable_declaration "our" variable: (_ (varname) @name)))) @definition.constant)

((use_statement module: (_) @_word (list_expression . (_) @name)) @definition.constant
  (#eq? @_word "constant"))
((use_statement module: (_) @_word
   (anonymous_hash_expression (list_expression (autoquoted_bareword) @name)))
  @definition.constant (#eq? @_word "constant"))
((use_statement module: (_) @_word (autoquoted_bareword) @name) @definition.constant
  (#eq? @_word "constant"))
((expression_statement (ambiguous_function_call_expression
    function: (_) @_word arguments: (list_expression . [(autoquoted_bareword) (string_literal)] @name)))
  @definition.constant (#any-of? @_word "has" "field" "attr"))
((expression_statement (ambiguous_function_call_expression
    function: (_) @_word . arguments: (autoquoted_bareword) @name))
  @definition.constant (#any-of? @_word "has" "field" "attr"))
(phaser_statement (block) @wrapper) @wrapper
(block_statement (block) @wrapper) @wrapper
