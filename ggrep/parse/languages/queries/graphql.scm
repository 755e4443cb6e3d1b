; GraphQL: schemas and operations.

[(document) (definition) (type_system_definition) (type_definition) (type_system_extension)
 (type_extension) (executable_definition)] @wrapper
([(object_type_definition (description)? @doc (name) @name (fields_definition)? @body)
  (object_type_extension (name) @name (fields_definition)? @body)
  (input_object_type_definition (description)? @doc (name) @name (input_fields_definition)? @body)
  (input_object_type_extension (name) @name (input_fields_definition)? @body)
  (fragment_definition (fragment_name) @name)] @definition.class)
([(interface_type_definition (description)? @doc (name) @name (fields_definition)? @body)
  (interface_type_extension (name) @name (fields_definition)? @body)] @definition.interface)
([(enum_type_definition (description)? @doc (name) @name (enum_values_definition)? @body)
  (enum_type_extension (name) @name (enum_values_definition)? @body)] @definition.enum)
([(scalar_type_definition (description)? @doc (name) @name)
  (scalar_type_extension (name) @name)
  (union_type_definition (description)? @doc (name) @name)
  (union_type_extension (name) @name)] @definition.type)
([(directive_definition (description)? @doc (name) @name)
  (operation_definition (name)? @name)] @definition.function)
(field_definition (description)? @doc (name) @name) @definition.constant
(enum_value_definition (description)? @doc (enum_value) @name) @definition.constant
(input_fields_definition
  (input_value_definition (description)? @doc (name) @name) @definition.constant)
