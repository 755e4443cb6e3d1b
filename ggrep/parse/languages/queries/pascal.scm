; Pascal, Delphi.

(declUses (moduleName) @import.name) @import
(unit (moduleName) @name) @definition.module @body
(program (moduleName) @name) @definition.module @body
(library (moduleName) @name) @definition.module @body
[(interface) (implementation) (declTypes) (declConsts) (declVars) (declSection)] @wrapper
(declType name: [(identifier) @name (genericTpl entity: (_) @name)] type: (declClass) @body)
  @definition.class
(declType name: [(identifier) @name (genericTpl entity: (_) @name)] type: (declIntf) @body)
  @definition.interface
(declType name: (_) @name type: (type (declEnum) @body)) @definition.enum
(declEnumValue name: (_) @name) @definition.constant
(declType name: [(identifier) @name (genericTpl entity: (_) @name)]) @definition.type
(declConst name: (_) @name) @definition.constant
(declVar name: (_) @name) @definition.constant
(declField name: (_) @name) @definition.constant
(declProp name: (_) @name) @definition.constant
(interface (declProc name: (identifier) @name) @definition.function)
(implementation (declProc name: (identifier) @name) @definition.function)
(declSection (declProc name: [(identifier) @name (genericTpl entity: (identifier) @name)])
  @definition.function)
(declClass (declProc name: (identifier) @name) @definition.function)
(declIntf (declProc name: (identifier) @name) @definition.function)
(defProc header: (declProc name: (identifier) @name)) @definition.function
(defProc header: (declProc name: (genericDot lhs: (_) @owner rhs: (identifier) @name)))
  @definition.function
