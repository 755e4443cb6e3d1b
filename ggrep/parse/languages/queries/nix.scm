; Nix.

(binding attrpath: (attrpath) @name expression: (function_expression)) @definition.function
(binding attrpath: (attrpath) @name
         expression: [(attrset_expression) (rec_attrset_expression)] @body) @definition.constant
(binding attrpath: (attrpath) @name
         expression: (binary_expression "//") @body) @definition.constant
(binary_expression "//") @wrapper
(binding attrpath: (attrpath) @name) @definition.constant
[(function_expression) (let_expression) (binding_set) (attrset_expression) (rec_attrset_expression)
 (with_expression) (assert_expression) (parenthesized_expression) (apply_expression)] @wrapper
