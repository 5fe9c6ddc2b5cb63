import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  parseSync,
  type Class,
  type Function as FunctionNode,
  type Program,
  type Statement,
  type TSInterfaceDeclaration,
  type TSTypeAliasDeclaration,
  type VariableDeclarator,
} from 'oxc-parser'
import { NO_COMMENT, parseDocComment, type DocComment } from './doc-comment.ts'

/** A parsed source file. */
export interface SourceModule {
  readonly path: string
  readonly text: string
  readonly program: Program
  /** Returns the JSDoc comment right before an offset. */
  docAt(start: number): DocComment
}

/** A node that declares a name. */
export type Declaration = FunctionNode | Class | TSInterfaceDeclaration | TSTypeAliasDeclaration | VariableDeclarator

/** A name with its declarations: several for overloads, or for a type and a value of the same name. */
export interface Declared {
  readonly name: string
  readonly module: SourceModule
  readonly parts: readonly { readonly node: Declaration; readonly doc: DocComment }[]
}

const modules = new Map<string, SourceModule>()

/** Parses a source file; the result is cached. */
export function readModule(path: string): SourceModule {
  const known = modules.get(path)
  if (known !== undefined) return known
  const text = readFileSync(path, 'utf8')
  const { program, comments, errors } = parseSync(path, text)
  if (errors[0]) throw new SyntaxError(`${path}: ${errors[0].message}`)
  const docs = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
  const docAt = (start: number): DocComment => {
    const before = docs[docs.filter(({ end }) => end <= start).length - 1]
    const isNext = before !== undefined && /^\s*$/.test(text.slice(before.end, start))
    return isNext ? parseDocComment(before.value) : NO_COMMENT
  }
  const module = { path, text, program, docAt }
  modules.set(path, module)
  return module
}

/**
 * Finds the declaration of a name in a module, following its imports: null if there is none, a string if a package
 * declares it.
 */
export function findDeclared(path: string, name: string): Declared | string | null {
  const module = readModule(path)
  const parts = module.program.body.flatMap((statement) =>
    declarationsIn(statement)
      .filter((node) => nameOf(node) === name)
      .map((node) => ({ node, doc: module.docAt(statement.start) })),
  )
  if (parts.length > 0) return { name, module, parts: withoutBody(parts) }
  for (const statement of module.program.body) {
    const from = sourceOf(statement, name)
    if (from === null) continue
    return from.startsWith('.') ? findDeclared(join(dirname(path), from), name) : from
  }
  return null
}

/** Returns the declarations of a statement, exported or not. */
export function declarationsIn(statement: Statement): Declaration[] {
  const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  if (node?.type === 'VariableDeclaration') return node.declarations
  const isKnown =
    node?.type === 'FunctionDeclaration' ||
    node?.type === 'TSDeclareFunction' ||
    node?.type === 'ClassDeclaration' ||
    node?.type === 'TSInterfaceDeclaration' ||
    node?.type === 'TSTypeAliasDeclaration'
  return isKnown ? [node] : []
}

/** Returns the declared name. */
export function nameOf({ id }: Declaration): string {
  return id?.type === 'Identifier' ? id.name : ''
}

/** Removes the implementation of overloads, which callers do not see. */
function withoutBody<Part extends { node: Declaration }>(parts: Part[]): Part[] {
  const overloads = parts.filter(({ node }) => node.type === 'TSDeclareFunction')
  return overloads.length > 0 ? overloads : parts
}

function sourceOf(statement: Statement, name: string): string | null {
  if (statement.type === 'ImportDeclaration')
    return statement.specifiers.some(({ local }) => local.name === name) ? statement.source.value : null
  if (statement.type !== 'ExportNamedDeclaration' || statement.source === null) return null
  const isThere = statement.specifiers.some(({ exported }) => 'name' in exported && exported.name === name)
  return isThere ? statement.source.value : null
}
