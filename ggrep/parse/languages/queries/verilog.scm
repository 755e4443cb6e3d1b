; Verilog and SystemVerilog.

(module_declaration (module_header [(simple_identifier) (escaped_identifier)] @name)) @definition.module @body
(interface_declaration (interface_ansi_header (interface_identifier [(simple_identifier) (escaped_identifier)] @name)))
  @definition.module @body
(interface_declaration (interface_nonansi_header (interface_identifier [(simple_identifier) (escaped_identifier)] @name)))
  @definition.module @body
(package_declaration (package_identifier [(simple_identifier) (escaped_identifier)] @name)) @definition.module @body
(program_declaration (program_ansi_header (program_identifier [(simple_identifier) (escaped_identifier)] @name)))
  @definition.module @body
(class_declaration . (class_identifier [(simple_identifier) (escaped_identifier)] @name)) @definition.class @body

(function_declaration (function_body_declaration (function_identifier (function_identifier
  [(simple_identifier) (escaped_identifier)] @name)))) @definition.function
(task_declaration (task_body_declaration (task_identifier (task_identifier
  [(simple_identifier) (escaped_identifier)] @name)))) @definition.function

(type_declaration (data_type (struct_union)) @body [(simple_identifier) (escaped_identifier)] @name) @definition.class
(type_declaration (data_type (enum_name_declaration)) @body [(simple_identifier) (escaped_identifier)] @name)
  @definition.enum
(type_declaration [(simple_identifier) (escaped_identifier)] @name) @definition.type
(struct_union_member (list_of_variable_decl_assignments (variable_decl_assignment
  . [(simple_identifier) (escaped_identifier)] @name))) @definition.constant
(enum_name_declaration (enum_identifier [(simple_identifier) (escaped_identifier)] @name))
  @definition.constant
(generate_block . (generate_block_identifier (generate_block_identifier (simple_identifier) @name)))
  @definition.class @body
(seq_block . (simple_identifier) @name) @definition.class
(text_macro_definition (text_macro_name (text_macro_identifier [(simple_identifier) (escaped_identifier)] @name)))
  @definition.constant

(param_assignment (parameter_identifier [(simple_identifier) (escaped_identifier)] @name)) @definition.constant
(net_decl_assignment . [(simple_identifier) (escaped_identifier)] @name) @definition.constant
(variable_decl_assignment . [(simple_identifier) (escaped_identifier)] @name) @definition.constant
(list_of_port_identifiers (port_identifier [(simple_identifier) (escaped_identifier)] @name)) @definition.constant
(list_of_variable_identifiers [(simple_identifier) (escaped_identifier)] @name) @definition.constant
(list_of_variable_port_identifiers (port_identifier [(simple_identifier) (escaped_identifier)] @name))
  @definition.constant
(ansi_port_declaration (port_identifier [(simple_identifier) (escaped_identifier)] @name)) @definition.constant
(type_assignment . (simple_identifier) @name) @definition.type
(property_declaration (property_identifier (simple_identifier) @name)) @definition.constant
(list_of_genvar_identifiers (genvar_identifier (simple_identifier) @name)) @definition.constant
(name_of_instance (instance_identifier [(simple_identifier) (escaped_identifier)] @name)) @definition.constant
(modport_item (modport_identifier (modport_identifier [(simple_identifier) (escaped_identifier)] @name)))
  @definition.constant

[(module_or_generate_item) (package_or_generate_item_declaration) (interface_or_generate_item)
 (module_ansi_header) (module_nonansi_header) (interface_ansi_header) (list_of_port_declarations)
 (parameter_port_list) (parameter_port_declaration) (parameter_declaration)
 (local_parameter_declaration) (list_of_param_assignments) (net_declaration)
 (list_of_net_decl_assignments) (data_declaration) (list_of_variable_decl_assignments)
 (modport_declaration) (class_item) (class_method) (class_property) (generate_region)
 (if_generate_construct) (case_generate_construct) (loop_generate_construct)
 (generate_block) (port_declaration) (case_generate_item) (input_declaration) (output_declaration)
 (inout_declaration) (concurrent_assertion_item) (checker_instantiation) (module_instantiation)
 (hierarchical_instance) (interface_instantiation) (udp_instantiation) (udp_instance) (program_instantiation)
 (genvar_declaration) (list_of_type_assignments) (data_type_or_implicit1)
 (procedural_timing_control_statement) (statement_or_null) (always_construct)
 (initial_construct) (statement) (statement_item) (data_type)] @wrapper
