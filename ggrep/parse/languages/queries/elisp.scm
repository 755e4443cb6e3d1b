; Emacs Lisp. What a list defines is told by the word it begins with.

((list . (symbol) @_word . (quote (symbol) @import.name)) @import (#eq? @_word "require"))
(function_definition name: (_) @name docstring: (_)? @doc) @definition.function
(macro_definition name: (_) @name docstring: (_)? @doc) @definition.function
(special_form . ["defvar" "defconst"] . (symbol) @name . (_)? . (string)? @doc)
  @definition.constant
((list . (symbol) @_word . [(symbol) @name (quote (symbol) @name)] . (_)? . (string)? @doc)
  @definition.constant
  (#any-of? @_word "defcustom" "defvar-local" "defface" "defvar-keymap" "defgroup"
            "define-error" "defvaralias"))
((list . (symbol) @_word . [(symbol) @name (list . (symbol) @name)]) @definition.class
  (#any-of? @_word "cl-defstruct" "defstruct" "defclass" "cl-deftype"))
((list . (symbol) @_word . [(symbol) @name (quote (symbol) @name)]) @definition.function
  (#match? @_word "^([a-z0-9-]+-)?(defun|defmacro|defmethod|defgeneric|defsubst|defalias|defadvice|definline|deftheme|deftest|define-[a-z0-9-]+|define-minor-mode|define-derived-mode|defun\\*|defmacro\\*|defsetf|transient-define-[a-z]+)[*]?$"))
((list . (symbol) @_word) @wrapper
  (#any-of? @_word "eval-and-compile" "eval-when-compile" "progn" "when" "if" "unless" "let"
            "with-no-warnings"))
