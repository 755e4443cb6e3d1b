; Solidity.

(import_directive source: (_) @import.name) @import
(contract_declaration name: (_) @name) @definition.class
(library_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(struct_declaration name: (_) @name) @definition.class
(struct_member name: (_) @name) @definition.constant
(enum_declaration name: (_) @name) @definition.enum
(enum_value) @name @definition.constant
(function_definition name: (_) @name) @definition.function
(constructor_definition "constructor" @name) @definition.function
(modifier_definition name: (_) @name) @definition.function
(event_definition name: (_) @name) @definition.constant
(error_declaration name: (_) @name) @definition.constant
(state_variable_declaration name: (_) @name) @definition.constant
(constant_variable_declaration name: (_) @name) @definition.constant
(user_defined_type_definition name: (_) @name) @definition.type
