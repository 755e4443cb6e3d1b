; Zig: a function that returns a type is that type.

((Decl (VarDecl (ErrorUnionExpr (SuffixExpr . (BUILTINIDENTIFIER) @_call
   (FnCallArguments (ErrorUnionExpr (SuffixExpr (STRINGLITERALSINGLE) @import.name))))))) @import
 (#any-of? @_call "@import" "@embedFile"))
((Decl (VarDecl (ErrorUnionExpr (SuffixExpr . (BUILTINIDENTIFIER) @_call)))) @nothing
 (#any-of? @_call "@import" "@embedFile" "@cImport"))
[(source_file "pub" @lead) (ContainerDecl "pub" @lead)]
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr . (ContainerDecl (ContainerDeclType . "enum")) @body .)) .))
  @definition.enum
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  [(ErrorUnionExpr (SuffixExpr . (ErrorSetDecl) @body .))
   (BinaryExpr left: (ErrorUnionExpr (SuffixExpr . (ErrorSetDecl) @body .)))] .)) @definition.enum
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr . (ContainerDecl) @body)) . (InitList)? .)) @definition.class
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name)) @definition.constant
; Wildcards: with the names of these nodes, the query takes 1.5 s to compile.
((Decl (FnProto function: (IDENTIFIER) @name (_) @_type .)
       (Block (Statement (_ "return" (_ (_ . (ContainerDecl) @body .))))))
 @definition.class (#eq? @_type "type"))
((Decl (FnProto function: (IDENTIFIER) @name (_) @_type .) (Block) @body) @definition.function
 (#not-eq? @_type "type"))
(Decl (FnProto function: (IDENTIFIER) @name) (Block)) @definition.function
((Decl (FnProto function: (IDENTIFIER) @name)) @definition.function (#set! loose))
(ContainerField field_member: (IDENTIFIER) @name) @definition.constant
(ContainerDecl (ContainerDeclType "enum")
  (ContainerField . (ErrorUnionExpr . (SuffixExpr . (IDENTIFIER) @name .))) @definition.constant)
(ErrorSetDecl field_constant: (IDENTIFIER) @name @definition.constant)
(TestDecl [(STRINGLITERALSINGLE) (IDENTIFIER)] @name (Block)) @definition.function
(TestDecl "test" @name . (Block)) @definition.function
