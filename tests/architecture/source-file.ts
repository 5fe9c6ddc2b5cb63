import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, type Program, Visitor } from 'oxc-parser'

/** The facts about a source file that the rules read. */
export interface SourceFile {
  /** From the root of the workspace: `packages/server/src/app.ts`. */
  readonly path: string
  readonly lines: number
  /** Every imported module: imports, re-exports, dynamic imports, types. */
  readonly imports: readonly string[]
  /** Names declared at the top level, exported or not. */
  readonly names: readonly string[]
  readonly hasDefaultExport: boolean
  readonly hasStarExport: boolean
}

const SKIPPED = new Set(['node_modules', 'dist', '.sdk', '.tmp', 'coverage'])

/** Reads every TypeScript file below a folder of the workspace. */
export function readSources(root: string, folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : readSources(root, path)
    return /\.tsx?$/.test(entry.name) ? [parseSource(path, readFileSync(join(root, path), 'utf8'))] : []
  })
}

/** Parses one file. */
export function parseSource(path: string, text: string): SourceFile {
  const { module, program, errors } = parseSync(path, text)
  if (errors[0]) throw new SyntaxError(`${path}: ${errors[0].message}`)

  const exported = module.staticExports.flatMap(({ entries }) => entries)
  const imports = new Set(module.staticImports.map(({ moduleRequest }) => moduleRequest.value))
  for (const { moduleRequest } of exported) if (moduleRequest) imports.add(moduleRequest.value)
  new Visitor({
    ImportExpression: ({ source }) => {
      if (source.type === 'Literal' && typeof source.value === 'string') imports.add(source.value)
    },
    TSImportType: ({ source }) => {
      imports.add(source.value)
    },
  }).visit(program)

  return {
    path,
    lines: text.trimEnd().split('\n').length,
    imports: [...imports],
    names: [...new Set(program.body.flatMap(declaredNames))],
    hasDefaultExport: exported.some(({ exportName }) => exportName.kind === 'Default'),
    hasStarExport: exported.some(({ importName }) => importName.kind === 'AllButDefault'),
  }
}

/** Returns the names that a top-level statement declares. */
function declaredNames(statement: Program['body'][number]): string[] {
  if (statement.type === 'ExportNamedDeclaration') {
    return statement.declaration ? declaredNames(statement.declaration) : []
  }
  if (statement.type === 'VariableDeclaration') {
    return statement.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
  }
  return 'id' in statement && statement.id?.type === 'Identifier' ? [statement.id.name] : []
}
