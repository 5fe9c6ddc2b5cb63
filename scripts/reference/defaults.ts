import type { Node, ParamPattern } from 'oxc-parser'
import type { SourceModule } from './source-module.ts'
import { typeNames, visit } from './syntax.ts'

/** A member of a type that has a default. */
export interface Default {
  readonly type: string
  readonly key: string
  /** Undefined if the value is known only at run time. */
  readonly value: unknown
}

/** Finds defaults in destructured options, after `??`, and in constants of the options' type. */
export function defaultsIn(module: SourceModule): Default[] {
  const { program } = module
  const found: Default[] = []
  const constants = constantsOf(program)
  visit(program, (node) => {
    if (node.type === 'VariableDeclarator') found.push(...inConstant(node, constants))
    if (!('params' in node) || !Array.isArray(node.params) || !('body' in node)) return
    for (const param of node.params) found.push(...inFunction(param, node.body, constants))
  })
  return found
}

type Constants = ReadonlyMap<string, Node>
type Keyed = readonly [key: string, value: unknown]

function constantsOf(program: SourceModule['program']): Constants {
  const statements = program.body.map((one) => (one.type === 'ExportNamedDeclaration' ? one.declaration : one))
  return new Map(
    statements
      .flatMap((one) => (one?.type === 'VariableDeclaration' ? one.declarations : []))
      .flatMap(({ id, init }) => (id.type === 'Identifier' && init !== null ? [[id.name, init]] : [])),
  )
}

/** Reads `const DEFAULTS: Limits = { … }`. */
function inConstant(node: Extract<Node, { type: 'VariableDeclarator' }>, constants: Constants): Default[] {
  const { id, init } = node
  if (id.type !== 'Identifier' || !id.typeAnnotation || init?.type !== 'ObjectExpression') return []
  const annotation = id.typeAnnotation.typeAnnotation
  if (annotation.type !== 'TSTypeReference' || annotation.typeName.type !== 'Identifier') return []
  const type = annotation.typeName.name
  const values = valueOf(init, constants) as Readonly<Record<string, unknown>>
  return Object.entries(values).map(([key, value]) => ({ type, key, value }))
}

function inFunction(param: ParamPattern, body: Node | null, constants: Constants): Default[] {
  const pattern = param.type === 'AssignmentPattern' ? param.left : param
  const annotation = 'typeAnnotation' in pattern ? pattern.typeAnnotation : null
  if (!annotation) return []
  const keyed = [...inPattern(pattern, constants)]
  if (pattern.type === 'Identifier' && body !== null)
    visit(body, (node) => {
      if (node.type === 'VariableDeclarator' && isName(node.init, pattern.name))
        keyed.push(...inPattern(node.id, constants))
      if (node.type === 'LogicalExpression' && node.operator === '??' && node.left.type === 'MemberExpression') {
        const { object, property } = node.left
        const isOption = isName(object, pattern.name) && property.type === 'Identifier'
        if (isOption) keyed.push([property.name, valueOf(node.right, constants)])
      }
    })
  return [...typeNames(annotation)].flatMap((type) => keyed.map(([key, value]) => ({ type, key, value })))
}

function inPattern(pattern: Node, constants: Constants): Keyed[] {
  if (pattern.type !== 'ObjectPattern') return []
  return pattern.properties.flatMap((property) =>
    property.type === 'Property' && property.value.type === 'AssignmentPattern' && property.key.type === 'Identifier'
      ? [[property.key.name, valueOf(property.value.right, constants)] as const]
      : [],
  )
}

function isName(node: Node | null, name: string): boolean {
  return node?.type === 'Identifier' && node.name === name
}

/** Returns the value of an expression if it can be evaluated statically. */
function valueOf(node: Node, constants: Constants): unknown {
  if (node.type === 'Literal') return node.value
  if (node.type === 'TSAsExpression') return valueOf(node.expression, constants)
  if (node.type === 'BinaryExpression' && node.operator === '*')
    return Number(valueOf(node.left, constants)) * Number(valueOf(node.right, constants))
  if (node.type === 'Identifier') {
    const constant = constants.get(node.name)
    return constant === undefined ? undefined : valueOf(constant, constants)
  }
  if (node.type !== 'ObjectExpression') return undefined
  return Object.fromEntries(
    node.properties.flatMap((one) =>
      one.type === 'Property' && one.key.type === 'Identifier' ? [[one.key.name, valueOf(one.value, constants)]] : [],
    ),
  )
}
