import { parseSync, type ESTree } from 'vite'
import { insertImport, insertLine } from './source-lines.ts'

/** An import and a call that add a module to an API. */
export interface ApiRegistration {
  /** The name to import, such as `tasks`. */
  readonly variable: string
  /** The import path, relative to the API file. */
  readonly from: string
  /** The call on the router, such as `.resource('v1', tasks)`. */
  readonly call: string
}

/** Returns the lines to add by hand if `addRegistration` returns null. */
export function toRegistrationLines({ variable, from, call }: ApiRegistration): string[] {
  return [`import { ${variable} } from '${from}'`, call]
}

/**
 * Adds an import and a call to the source of `src/api/index.ts`. Returns null if the router is not a single chain that
 * starts with `createRouter()`, or if the name is already in use. The author must then add the lines by hand.
 */
export function addRegistration(source: string, hook: ApiRegistration): string | null {
  const { program, errors } = parseSync('index.ts', source)
  if (errors.length > 0 || declaredNames(program).has(hook.variable)) return null
  const end = endOfChain(program)
  if (end === null) return null
  const edited = insertLine(source, end, `  ${hook.call}`)
  const [line = ''] = toRegistrationLines(hook)
  const whole = insertImport(edited, program, line)
  return parseSync('index.ts', whole).errors.length === 0 ? whole : null
}

function endOfChain({ body }: ESTree.Program): number | null {
  const exported = body.find((node) => node.type === 'ExportDefaultDeclaration')?.declaration
  if (exported === undefined) return null
  if (exported.type !== 'Identifier') return isChain(exported) ? exported.end : null
  const made = body
    .flatMap((node) => (node.type === 'VariableDeclaration' ? node.declarations : []))
    .find(({ id }) => id.type === 'Identifier' && id.name === exported.name)
  return made?.init && isChain(made.init) ? made.init.end : null
}

type Expression = ESTree.Expression | ESTree.ExportDefaultDeclaration['declaration']

/** Returns whether a node is `createRouter()` or a chain of calls on it. */
function isChain(node: Expression): boolean {
  if (node.type !== 'CallExpression') return false
  const { callee } = node
  if (callee.type === 'Identifier') return callee.name === 'createRouter'
  return callee.type === 'MemberExpression' && !callee.computed && isChain(callee.object)
}

function declaredNames({ body }: ESTree.Program): Set<string> {
  return new Set(body.flatMap(namesDeclaredBy))
}

function namesDeclaredBy(node: ESTree.Program['body'][number]): string[] {
  if (node.type === 'ImportDeclaration') return node.specifiers.map(({ local }) => local.name)
  if (node.type === 'ExportNamedDeclaration') return node.declaration === null ? [] : namesDeclaredBy(node.declaration)
  if (node.type === 'VariableDeclaration')
    return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
  const hasName = node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration'
  return hasName && node.id ? [node.id.name] : []
}
