; Fortran.

(use_statement (module_name) @import.name) @import
(module (module_statement (name) @name)) @definition.module @body
(submodule (submodule_statement (name) @name)) @definition.module @body
(program (program_statement (name) @name)) @definition.module @body
(internal_procedures) @wrapper
(interface (interface_statement (name) @name)) @definition.interface @body
(interface) @wrapper
(function (function_statement name: (_) @name)) @definition.function
(subroutine (subroutine_statement name: (_) @name)) @definition.function
(module_procedure (module_procedure_statement (name) @name)) @definition.function
(derived_type_definition (derived_type_statement (type_name) @name)) @definition.class @body
(derived_type_procedures) @wrapper
(derived_type_procedures (procedure_statement declarator: [
  (binding (binding_name) @name) (method_name) @name])) @definition.method
(procedure_statement declarator: (binding . (binding_name) @name)) @definition.method
(variable_declaration declarator: [
  (identifier) @name
  (init_declarator left: (identifier) @name)
  (init_declarator left: (sized_declarator . (identifier) @name))
  (pointer_init_declarator left: (identifier) @name)
  (sized_declarator . (identifier) @name)]) @definition.constant
(preproc_def name: (_) @name) @definition.constant
[(preproc_if) (preproc_ifdef) (preproc_else)] @wrapper
