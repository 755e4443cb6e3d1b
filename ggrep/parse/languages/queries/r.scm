; R.

((call function: (identifier) @_word arguments: (arguments . (argument) @import.name)) @import
  (#any-of? @_word "library" "require" "source" "requireNamespace"))

(binary_operator lhs: [(identifier) (string)] @name operator: ["<-" "=" "<<-"]
                 rhs: (function_definition body: (_) @body)) @definition.function
((binary_operator lhs: (identifier) @name operator: ["<-" "=" "<<-"]
                  rhs: (call function: (_) @_word arguments: (arguments) @body))
  @definition.class
  (#match? @_word "^(R6::|methods::|ggplot2::)?(R6Class|setRefClass|setClass|ggproto)$"))
(argument name: (identifier) @name value: (function_definition body: (_) @body))
  @definition.function
((argument name: (identifier) @_part
           value: (call arguments: (arguments (argument name: (identifier) @name)
             @definition.constant)))
  (#any-of? @_part "public" "private" "active" "fields"))
((argument name: (identifier) @_part value: (call arguments: (arguments) @wrapper) @wrapper)
  (#any-of? @_part "public" "private" "active" "methods" "fields"))
((argument name: (identifier) @_part) @wrapper
  (#any-of? @_part "public" "private" "active" "methods" "fields"))
(program (binary_operator lhs: [(identifier) (string)] @name operator: ["<-" "=" "<<-"])
  @definition.constant)
(program (binary_operator operator: ["->" "->>"] rhs: (identifier) @name) @definition.constant)

((call function: (identifier) @_word
       arguments: (arguments . (argument value: (string) @name))) @definition.class
  (#any-of? @_word "setClass" "setRefClass" "setClassUnion"))
((call function: (identifier) @_word
       arguments: (arguments . (argument value: (string) @name))) @definition.function
  (#any-of? @_word "setGeneric" "setMethod" "setReplaceMethod" "setValidity"))
((call function: (identifier) @_word
       arguments: (arguments . (argument value: (string) @name))) @definition.constant
  (#any-of? @_word "assign" "delayedAssign" "makeActiveBinding"))
