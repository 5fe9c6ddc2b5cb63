import type { Declaration, SourceModule } from './source-module.ts'
import { oneLine, parametersOf } from './syntax.ts'

const WIDTH = 110
const GENERICS = 60

/** Renders the signature or the type of a declaration in a few lines. */
export function toSignature(module: SourceModule, node: Declaration): string {
  if (node.type === 'VariableDeclarator') return ofConstant(module, node)
  return 'params' in node ? ofFunction(module, node) : sourceText(module, node.start, node.end).replace(/^type /, '')
}

function ofFunction(module: SourceModule, node: Extract<Declaration, { params: unknown }>): string {
  const generics = node.typeParameters ? oneLine(module, node.typeParameters) : ''
  // Omit long type parameter lists: they only carry inference, and callers never write them.
  const name = `${node.id?.name ?? ''}${generics.length > GENERICS ? '' : generics}`
  const params = parametersOf(module, node.params).map((one) => `${one.name}${one.isOptional ? '?' : ''}: ${one.type}`)
  const result = node.returnType ? `: ${oneLine(module, node.returnType.typeAnnotation)}` : ''
  const line = `${name}(${params.join(', ')})${result}`
  return line.length <= WIDTH ? line : `${name}(\n${params.map((one) => `  ${one},\n`).join('')})${result}`
}

/** Returns the type of a constant, or its value if it has no type annotation. */
function ofConstant(module: SourceModule, { id, init }: Extract<Declaration, { init: unknown }>): string {
  const name = id.type === 'Identifier' ? id.name : ''
  const type = 'typeAnnotation' in id && id.typeAnnotation ? oneLine(module, id.typeAnnotation.typeAnnotation) : null
  if (type !== null || init === null) return `${name}: ${type ?? 'unknown'}`
  const isConst = init.type === 'TSAsExpression'
  return `${name} = ${sourceText(module, init.start, isConst ? init.expression.end : init.end)}`
}

function sourceText(module: SourceModule, start: number, end: number): string {
  const indent = /(?:^|\n)([^\S\n]*)[^\n]*$/.exec(module.text.slice(0, start))?.[1] ?? ''
  return module.text.slice(start, end).replaceAll(`\n${indent}`, '\n')
}
