; Scheme and Racket. What a list defines is told by the word it begins with.

((list . (symbol) @_word . (_) @import.name) @import
  (#any-of? @_word "require" "use-modules" "import" "load"))
((list . (symbol) @_word . (_) @name) @definition.module
  (#any-of? @_word "define-module" "define-library" "library"))
((list . (symbol) @_word . (symbol) @name . (list . (symbol) @_value)) @definition.function
  (#match? @_word "^define(-public|/public|/private|/override|\\*|\\*-public)?$")
  (#any-of? @_value "lambda" "lambda*" "case-lambda" "case-lambda*" "opt-lambda"))
((list . (symbol) @_word . (symbol) @name . (list . (symbol) @_value) @body) @definition.class
  (#any-of? @_word "define" "define-public")
  (#any-of? @_value "class" "class*" "mixin" "unit"))
((list . (symbol) @_word . [(symbol) @name (list . (symbol) @name)]) @definition.class
  (#any-of? @_word "struct" "define-struct" "define-record-type" "define-class" "define-type"
            "define-immutable-record-type" "define-condition-type"))
((list . (symbol) @_word . (symbol) @name) @definition.constant
  (#match? @_word "^define(-public|-constant|-values|-parameter|-inlinable|/provide|-fluid)?$"))
((list . (symbol) @_word . [(list . (symbol) @name) (list . (list . (symbol) @name))
                            (list . (list . (list . (symbol) @name))) (symbol) @name])
  @definition.function
  (#match? @_word "^(define[^ ]*|defmacro[*]?|def-[^ ]+)$"))
((list . (symbol) @_word (list) @wrapper) @wrapper
  (#any-of? @_word "begin" "module" "module*" "module+" "begin-for-syntax" "eval-when"
            "cond-expand" "library" "define-library" "let" "let*" "if" "when" "unless"))
