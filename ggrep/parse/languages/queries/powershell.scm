; PowerShell.

(statement_list) @wrapper
(script_block) @wrapper
(script_block_body) @wrapper
(function_statement (function_name) @name (script_block) @body) @definition.function
(function_statement (function_name) @name) @definition.function
(class_statement . (simple_name) @name) @definition.class @body
(class_method_definition (simple_name) @name (script_block) @body) @definition.method
(class_method_definition (simple_name) @name) @definition.method
(class_property_definition (variable) @name) @definition.constant
(enum_statement (simple_name) @name) @definition.enum @body
(enum_member . (simple_name) @name) @definition.constant
((program (statement_list
   (pipeline (assignment_expression (left_assignment_expression) @name)) @definition.constant))
  (#match? @name "^[$](script:|global:)?[A-Za-z_0-9]+$"))
