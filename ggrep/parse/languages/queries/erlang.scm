; Erlang: the clauses of a function are declarations of their own.

((fun_decl clause: (function_clause name: (_) @name)) @definition.function (#set! clauses))
(spec) @lead
(import_attribute module: (_) @import.name) @import
(pp_include file: (_) @import.name) @import
(pp_include_lib file: (_) @import.name) @import

(module_attribute name: (_) @name) @definition.module
(pp_define lhs: (macro_lhs name: (_) @name)) @definition.constant
(record_decl name: (_) @name) @definition.class @body
(record_field name: (_) @name) @definition.constant
(type_alias name: (type_name name: (_) @name)) @definition.type
(nominal name: (type_name name: (_) @name)) @definition.type
(opaque name: (type_name name: (_) @name)) @definition.type
(callback fun: (_) @name) @definition.function
