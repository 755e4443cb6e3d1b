; Common Lisp. What a list defines is told by the word it begins with.

((list_lit (defun (defun_header keyword: (_) @_word function_name: (_) @name) . (str_lit)? @doc))
  @definition.function)
((list_lit . (sym_lit) @_word . (_) @name) @definition.module
  (#any-of? @_word "defpackage" "define-package" "uiop:define-package"))
((list_lit . (sym_lit) @_word . (_) @import.name) @import
  (#any-of? @_word "require" "use-package" "asdf:load-system"))
((list_lit . (sym_lit) @_word . [(sym_lit) @name (list_lit . (sym_lit) @name)])
  @definition.class
  (#any-of? @_word "defclass" "defstruct" "define-condition" "cl:defclass"))
((list_lit . (sym_lit) @_word . [(sym_lit) @name (list_lit . (sym_lit) @name)])
  @definition.type
  (#any-of? @_word "deftype" "define-foreign-type" "defctype"))
((list_lit . (sym_lit) @_word . (sym_lit) @name) @definition.constant
  (#any-of? @_word "defvar" "defparameter" "defconstant" "define-symbol-macro" "defglobal"
            "sb-ext:defglobal" "define-constant" "alexandria:define-constant"))
((list_lit . (sym_lit) @_word . [(sym_lit) @name (list_lit . (sym_lit) @name)])
  @definition.function
  (#match? @_word "^(([a-z0-9-]+:)?(def|define-)[a-z0-9*-]+)$")
  (#not-match? @_word "^(default|defer|defsystem|define-package)$"))
((list_lit . (sym_lit) @_word . (_) @name) @definition.module
  (#any-of? @_word "defsystem" "asdf:defsystem"))
((list_lit . (sym_lit) @_word) @wrapper
  (#any-of? @_word "progn" "eval-when" "let" "let*" "macrolet" "flet" "labels"))
(include_reader_macro) @wrapper
