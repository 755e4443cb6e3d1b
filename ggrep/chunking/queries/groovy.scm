; Groovy: the grammar knows words and blocks, so words tell what is defined.

((command (unit (identifier) @_word) . (unit . (identifier) @name) (block) @body)
  @definition.class (#any-of? @_word "class" "trait"))
((command (unit (identifier) @_word) . (block . (unit . (identifier) @name)) @body)
  @definition.class (#any-of? @_word "class" "trait"))
((command (unit (identifier) @_word) . (block . (unit . (identifier) @name)) @body)
  @definition.interface (#eq? @_word "interface"))
((command (unit (identifier) @_word) . (unit . (identifier) @name) (block) @body)
  @definition.interface (#eq? @_word "interface"))
((command (unit (identifier) @_word) . (block . (unit . (identifier) @name)) @body)
  @definition.enum (#eq? @_word "enum"))
((command (unit (identifier) @_word) . (unit . (identifier) @name) (block) @body)
  @definition.enum (#eq? @_word "enum"))
((command (unit (identifier) @_word) . (block . (unit . (func . (identifier) @name))))
  @definition.function
  (#not-any-of? @_word "return" "new" "throw" "assert" "in" "println" "apply" "expect"))
((command (unit (identifier) @_word) . (unit . (identifier) @name) . (operators) @_is)
  @definition.constant
  (#eq? @_is "=")
  (#not-any-of? @_word "return" "new" "throw" "assert" "in"))
((command . (unit (identifier) @_word) . (unit . (identifier) @name)) @definition.constant
  (#eq? @_word "def"))
