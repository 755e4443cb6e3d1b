; Tcl.

(procedure name: (_) @name body: (_) @body) @definition.function
((command name: (_) @_word arguments: (word_list . (_) @_part . (_) @name (braced_word) @body))
  @definition.class
  (#any-of? @_word "oo::class" "::oo::class" "itcl::class" "snit::type") (#eq? @_part "create"))
((command name: (_) @_word arguments: (word_list . (_) @name . (braced_word) @body))
  @definition.class (#any-of? @_word "itcl::class" "::itcl::class" "snit::type" "snit::widget"
                              "::snit::type" "oo::define" "class"))
((command name: (_) @_word arguments: (word_list . (_) @name (braced_word)))
  @definition.method (#any-of? @_word "method" "typemethod" "classmethod"))
((command name: (_) @_word arguments: (word_list . (_) @name)) @definition.constant
  (#any-of? @_word "variable" "typevariable"))
(source_file (set . (id) @name) @definition.constant)
((command name: (_) @_word arguments: (word_list . (_) . (_) @import.name)) @import
  (#eq? @_word "package"))
(namespace (word_list . (_) . (_) @name . (braced_word) @body)) @definition.module
[(if) (else) (elseif) (braced_word)] @wrapper
