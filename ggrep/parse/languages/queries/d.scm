; D.

(import_declaration (imported (module_fqn) @import.name)) @import
(module_def (module_declaration (module_fqn) @name)) @definition.module @body
(class_declaration (identifier) @name (aggregate_body) @body) @definition.class
(struct_declaration (identifier) @name (aggregate_body) @body) @definition.class
(union_declaration (identifier) @name (aggregate_body) @body) @definition.class
(interface_declaration (identifier) @name (aggregate_body) @body) @definition.interface
[(class_declaration (identifier) @name) (struct_declaration (identifier) @name)
 (union_declaration (identifier) @name)] @definition.class
(enum_declaration (identifier) @name) @definition.enum @body
(enum_member . (identifier) @name) @definition.constant
(manifest_constant (manifest_declarator . (identifier) @name)) @definition.constant
(alias_declaration (alias_initializer . (identifier) @name)) @definition.type
(alias_declaration (identifier) @name) @definition.type
(template_declaration (identifier) @name) @definition.module @body
(mixin_template_declaration) @wrapper
(function_declaration (identifier) @name (function_body) @body) @definition.function
(function_declaration (identifier) @name) @definition.function
(auto_declaration (identifier) @name (function_body)) @definition.function
(constructor (this) @name) @definition.method
(destructor) @name @definition.method
(variable_declaration (declarator . (identifier) @name)) @definition.constant
(auto_declaration (identifier) @name) @definition.constant
[(conditional_declaration) (attribute_declaration) (linkage_attribute)
 (static_foreach_declaration) (pragma_declaration) (anonymous_enum_declaration)] @wrapper
([(struct_declaration (aggregate_body) @wrapper) (union_declaration (aggregate_body) @wrapper)]
  @wrapper)
