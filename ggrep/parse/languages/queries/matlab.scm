; MATLAB, Octave.

(function_definition name: (_) @name (block) @body) @definition.function
(function_definition name: (_) @name) @definition.function
(function_signature name: (_) @name) @definition.method
(class_definition name: (_) @name) @definition.class @body
[(methods) (properties) (enumeration) (events)] @wrapper
(property name: (_) @name) @definition.constant
(enum . (identifier) @name) @definition.constant
(events (identifier) @name @definition.constant)
