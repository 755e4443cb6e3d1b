; Clojure. What a list defines is told by the word it begins with.

((list_lit . (sym_lit) @_word . (sym_lit name: (sym_name) @name)) @definition.module
  (#any-of? @_word "ns" "in-ns"))
((list_lit . (sym_lit) @_word . (sym_lit name: (sym_name) @name) . (str_lit)? @doc)
  @definition.function
  (#match? @_word "^([a-z.]+/)?(def(n|macro|multi|method)-?|definline|deftest-?|defspec|defcodec)$"))
((list_lit . (sym_lit) @_word . (sym_lit name: (sym_name) @name) . (str_lit)? @doc)
  @definition.interface @body
  (#any-of? @_word "defprotocol" "definterface"))
((list_lit . (sym_lit) @_word . (sym_lit name: (sym_name) @name)) @definition.class @body
  (#any-of? @_word "defrecord" "deftype" "defstruct" "gen-class"))
((list_lit . (sym_lit) @_word . (sym_lit name: (sym_name) @name)) @definition.constant
  (#match? @_word "^([a-z.]+/)?(def|defonce|declare|def[a-z]*)$"))
((list_lit . (sym_lit) @_word (list_lit . (sym_lit name: (sym_name) @name) . (vec_lit))
    @definition.method)
  (#any-of? @_word "defprotocol" "definterface" "defrecord" "deftype"))
((list_lit . (sym_lit) @_word) @wrapper (#any-of? @_word "do" "when" "if" "let" "comment"))
(read_cond_lit) @wrapper
