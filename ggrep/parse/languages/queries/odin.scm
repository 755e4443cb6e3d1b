; Odin.

(import_declaration (string) @import.name) @import
(struct_declaration . (identifier) @name) @definition.class @body
(union_declaration . (identifier) @name) @definition.class
(enum_declaration . (identifier) @name) @definition.enum
(bit_field_declaration . (identifier) @name) @definition.class
(field . (identifier) @name) @definition.constant
(procedure_declaration . (identifier) @name (procedure (block) @body)) @definition.function
(procedure_declaration . (identifier) @name) @definition.function
(overloaded_procedure_declaration . (identifier) @name) @definition.function
(const_declaration . (identifier) @name) @definition.constant
(const_type_declaration . (identifier) @name) @definition.type
(var_declaration . (identifier) @name) @definition.constant
(variable_declaration . (identifier) @name) @definition.constant
(foreign_block) @wrapper
(when_statement) @wrapper
