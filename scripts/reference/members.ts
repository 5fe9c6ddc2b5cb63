import type { ClassElement, Node, ParamPattern, PropertyKey, TSSignature, TSType, TSTypeAnnotation } from 'oxc-parser'
import type { DocComment } from './doc-comment.ts'
import type { Declaration, SourceModule } from './source-module.ts'
import { oneLine, parametersOf } from './syntax.ts'

/** A member of an interface, an options type or a class. */
export interface Member {
  /** The name as it is used: `data`, `call(route, ...rest)`. */
  readonly name: string
  readonly key: string
  readonly type: string
  readonly isOptional: boolean
  readonly doc: DocComment
  /** The module that declares it, to resolve the names in its type. */
  readonly module: SourceModule
}

/** The members of a declaration and the types that it extends; null if it has no members. */
export interface Members {
  readonly inherited: readonly string[]
  readonly own: readonly Member[]
}

/** Reads the members of an interface, a class, an object type or an intersection of them. */
export function membersOf(module: SourceModule, node: Declaration): Members | null {
  if (node.type === 'TSInterfaceDeclaration')
    return { inherited: node.extends.map((one) => oneLine(module, one)), own: fromSignatures(module, node.body.body) }
  if (node.type === 'TSTypeAliasDeclaration') return fromType(module, node.typeAnnotation)
  if (node.type !== 'ClassDeclaration') return null
  const inherited = node.superClass === null ? [] : [oneLine(module, node.superClass)]
  return { inherited, own: node.body.body.flatMap((element) => fromElement(module, element)) }
}

function fromType(module: SourceModule, type: TSType): Members | null {
  if (type.type === 'TSTypeLiteral') return { inherited: [], own: fromSignatures(module, type.members) }
  if (type.type !== 'TSIntersectionType') return null
  const own = type.types.flatMap((part) => (part.type === 'TSTypeLiteral' ? fromSignatures(module, part.members) : []))
  if (own.length === 0) return null
  return {
    inherited: type.types.filter((part) => part.type !== 'TSTypeLiteral').map((part) => oneLine(module, part)),
    own,
  }
}

function fromSignatures(module: SourceModule, signatures: readonly TSSignature[]): Member[] {
  return signatures.map((signature) => {
    const doc = module.docAt(signature.start)
    if (signature.type === 'TSPropertySignature') return property(module, signature, doc)
    if (signature.type === 'TSIndexSignature') {
      const name = `[${signature.parameters.map((part) => oneLine(module, part)).join(', ')}]`
      return {
        name,
        key: name,
        type: oneLine(module, signature.typeAnnotation.typeAnnotation),
        isOptional: true,
        doc,
        module,
      }
    }
    if (signature.type !== 'TSMethodSignature') {
      const isNew = signature.type === 'TSConstructSignatureDeclaration'
      return method(module, isNew ? 'new ' : '', { ...signature, doc })
    }
    return signature.kind === 'get'
      ? property(module, { ...signature, typeAnnotation: signature.returnType }, doc)
      : method(module, keyOf(module, signature.key), { ...signature, doc })
  })
}

function fromElement(module: SourceModule, element: ClassElement): Member[] {
  const doc = module.docAt(element.start)
  if (element.type === 'PropertyDefinition')
    return element.key.type === 'PrivateIdentifier'
      ? []
      : [property(module, { key: element.key, optional: false, typeAnnotation: element.typeAnnotation ?? null }, doc)]
  if (element.type !== 'MethodDefinition' || element.key.type === 'PrivateIdentifier') return []
  const name = element.kind === 'constructor' ? 'new ' : keyOf(module, element.key)
  return [method(module, name, { params: element.value.params, returnType: element.value.returnType ?? null, doc })]
}

interface PropertyParts {
  readonly key: PropertyKey
  readonly optional: boolean
  readonly typeAnnotation: TSTypeAnnotation | null
}

function property(module: SourceModule, { key, optional, typeAnnotation }: PropertyParts, doc: DocComment): Member {
  const name = keyOf(module, key)
  const type = typeAnnotation === null ? 'unknown' : oneLine(module, typeAnnotation.typeAnnotation)
  return { name, key: name, type, isOptional: optional, doc, module }
}

interface MethodParts {
  readonly params: readonly ParamPattern[]
  readonly returnType: TSTypeAnnotation | null
  readonly doc: DocComment
  readonly optional?: boolean
}

function method(module: SourceModule, key: string, { params, returnType, doc, optional = false }: MethodParts): Member {
  const names = parametersOf(module, params).map(({ name, isOptional }) => (isOptional ? `${name}?` : name))
  const type = returnType === null ? '' : oneLine(module, returnType.typeAnnotation)
  return { name: `${key}(${names.join(', ')})`, key, type, isOptional: optional, doc, module }
}

function keyOf(module: SourceModule, key: Node): string {
  return key.type === 'Literal' && typeof key.value === 'string' ? key.value : oneLine(module, key)
}
