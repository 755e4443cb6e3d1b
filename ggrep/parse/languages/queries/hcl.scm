; Terraform and other HCL: a block goes by the last of its labels.

(config_file (body) @wrapper)
((block (identifier) @_word (body) @wrapper) @wrapper (#any-of? @_word "locals" "terraform"))
((block (identifier) @owner (string_lit (template_literal) @name) . (block_start))
 @definition.class (#not-match? @owner "^(dynamic|provisioner)$"))
(block (identifier) (string_lit (template_literal) @owner) .
       (string_lit (template_literal) @name) . (block_start)) @definition.class
((block (identifier) @_word (body (attribute . (identifier) @name) @definition.constant))
  (#eq? @_word "locals"))
(config_file (body (attribute . (identifier) @name) @definition.constant))
