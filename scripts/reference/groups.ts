import type { Node } from 'oxc-parser'
import type { Declaration, Declared } from './source-module.ts'
import { typeNames } from './syntax.ts'

/** A value that is exported, with the types that belong to it. */
export interface Group {
  readonly head: Declared
  readonly types: readonly Declared[]
}

/** Whether it exists at run time. */
export function isValue({ parts }: Declared): boolean {
  return parts.some(({ node }) => node.type !== 'TSInterfaceDeclaration' && node.type !== 'TSTypeAliasDeclaration')
}

/** Groups each type with the value that refers to it in the fewest steps. Types without references are not grouped. */
export function groupExports(exports: readonly Declared[]): { groups: Group[]; rest: Declared[] } {
  const values = exports.filter(isValue)
  const types = exports.filter((one) => !isValue(one))
  const ownerOf = new Map<Declared, Declared>(values.map((value) => [value, value]))
  let layer: readonly Declared[] = values
  while (layer.length > 0) {
    const mentions = layer.flatMap((one) =>
      mentionedBy(one, types).map((type) => ({ type, owner: ownerOf.get(one) ?? one })),
    )
    layer = mentions.flatMap(({ type, owner }) => {
      if (ownerOf.has(type)) return []
      ownerOf.set(type, owner)
      return [type]
    })
  }
  const placed = [...ownerOf.keys()].filter((one) => !isValue(one))
  return {
    groups: values.map((head) => ({ head, types: placed.filter((type) => ownerOf.get(type) === head) })),
    rest: types.filter((type) => !ownerOf.has(type)),
  }
}

function mentionedBy({ parts }: Declared, types: readonly Declared[]): Declared[] {
  const names = parts.flatMap(({ node }) => visibleIn(node).flatMap((part) => [...typeNames(part)]))
  return [...new Set(names)].flatMap((name) => types.filter((type) => type.name === name))
}

/** Returns the parts of a declaration that callers see. */
function visibleIn(node: Declaration): Node[] {
  if (node.type === 'VariableDeclarator') return [node.id]
  return 'params' in node ? [...node.params, ...(node.returnType ? [node.returnType] : [])] : [node]
}
