(package (full_ident) @name) @definition.module
(import path: (string) @import.name) @import
(message (message_name) @name (message_body) @body) @definition.class
(extend (full_ident) @name (message_body) @body) @definition.class
(enum (enum_name) @name (enum_body) @body) @definition.enum
(service (service_name) @name) @definition.interface @body
((rpc (rpc_name) @name) @definition.function (#set! loose))
(enum_field (identifier) @name) @definition.constant
(field (identifier) @name) @definition.constant
(map_field (identifier) @name) @definition.constant
(oneof_field (identifier) @name) @definition.constant
(oneof (identifier) @name) @definition.constant @body
