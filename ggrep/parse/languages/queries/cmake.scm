; CMake.

(function_def (function_command (argument_list . (argument) @name)) (body) @body)
  @definition.function
(macro_def (macro_command (argument_list . (argument) @name)) (body) @body) @definition.function
((normal_command (identifier) @_word (argument_list . (argument) @name)) @definition.constant
  (#match? @_word "^([Ss][Ee][Tt]|[Oo][Pp][Tt][Ii][Oo][Nn]|define_property)$"))
((normal_command (identifier) @_word (argument_list . (argument) @name)) @definition.class
  (#match? @_word "^([Aa][Dd][Dd]_([Ll][Ii][Bb][Rr][Aa][Rr][Yy]|[Ee][Xx][Ee][Cc][Uu][Tt][Aa][Bb][Ll][Ee]|[Cc][Uu][Ss][Tt][Oo][Mm]_[Tt][Aa][Rr][Gg][Ee][Tt])|[Pp][Rr][Oo][Jj][Ee][Cc][Tt])$"))
((normal_command (identifier) @_word (argument_list . (argument) @import.name)) @import
  (#match? @_word "^(find_package|include|add_subdirectory)$"))
[(if_condition) (foreach_loop) (body) (while_loop) (block_def)] @wrapper
