import { visitorKeys, type BindingPattern, type Node, type ParamPattern } from 'oxc-parser'
import type { SourceModule } from './source-module.ts'

/** Calls back for a node and all its descendants. */
export function visit(node: Node, see: (node: Node) => void): void {
  see(node)
  const parts = node as unknown as Readonly<Record<string, unknown>>
  for (const key of visitorKeys[node.type] ?? [])
    for (const child of [parts[key]].flat()) if (isNode(child)) visit(child, see)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

/** Returns the names of the types that a node mentions. */
export function typeNames(node: Node): Set<string> {
  const names = new Set<string>()
  visit(node, (inner) => {
    if (inner.type === 'TSTypeReference' && inner.typeName.type === 'Identifier') names.add(inner.typeName.name)
    if (inner.type === 'TSInterfaceHeritage' && inner.expression.type === 'Identifier') names.add(inner.expression.name)
  })
  return names
}

/** Returns source code on one line, without comments. */
export function oneLine(module: SourceModule, node: Node): string {
  return module.text
    .slice(node.start, node.end)
    .replaceAll(/\/\*[^]*?\*\/|\s\/\/ .*/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/([<([]) | (?=[>)\]])(?<!=>)/g, '$1')
    .replaceAll(/,(?=[>)\]])/g, '')
    .replaceAll(/(^|[<(:=] ?)\| /g, '$1')
    .replace(/ \| undefined$/, '')
    .replace(/^\((\([^()]*\) => [^()]*)\)$/, '$1')
}

/** A parameter: its name, its type, and whether it is optional. */
export interface Parameter {
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
}

/** Returns the parameters of a function as callers see them. */
export function parametersOf(module: SourceModule, params: readonly ParamPattern[]): Parameter[] {
  const given = params.filter((param) => !(param.type === 'Identifier' && param.name === 'this'))
  return given.map((param) => {
    if (param.type === 'TSParameterProperty') throw new TypeError(`${module.path}: unsupported parameter property`)
    const pattern =
      param.type === 'AssignmentPattern' ? param.left : param.type === 'RestElement' ? param.argument : param
    const annotation =
      param.type === 'RestElement' ? (param.typeAnnotation ?? annotationOf(pattern)) : annotationOf(pattern)
    const type = annotation ? oneLine(module, annotation.typeAnnotation) : typeOfDefault(param)
    return {
      name: `${param.type === 'RestElement' ? '...' : ''}${pattern.type === 'Identifier' ? pattern.name : wordFor(type)}`,
      type,
      isOptional: param.type === 'AssignmentPattern' || ('optional' in pattern && pattern.optional),
    }
  })
}

function annotationOf(pattern: BindingPattern): { typeAnnotation: Node } | null | undefined {
  return 'typeAnnotation' in pattern ? pattern.typeAnnotation : null
}

function typeOfDefault(param: ParamPattern): string {
  const value = param.type === 'AssignmentPattern' && param.right.type === 'Literal' ? param.right.value : undefined
  return value === undefined ? 'unknown' : typeof value
}

/** Returns a name for a destructured parameter: the last word of its type. */
function wordFor(type: string): string {
  return /[A-Z][a-z]+(?=$|<)/.exec(type)?.[0].toLowerCase() ?? 'options'
}
