; Starlark: what it shares with Python is read by the rules of Python.

(module
  (expression_statement
    (call arguments: (argument_list
      (keyword_argument name: (identifier) @_key value: (string) @name (#eq? @_key "name")))))
  @definition.constant)
