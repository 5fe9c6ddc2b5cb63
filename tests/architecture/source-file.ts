import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

/** What the rules look at in a source file. */
export interface SourceFile {
  /** From the root of the workspace: `packages/server/src/app.ts`. */
  readonly path: string
  readonly lines: number
  /** Every module it names: imports, re-exports, dynamic imports, types. */
  readonly imports: readonly string[]
  /** The imports that are loaded at run time, without those of types. */
  readonly loads: readonly string[]
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
  const loads = new Set<string>()
  const types = new Set<string>()
  for (const { moduleRequest, entries } of module.staticImports) {
    const isType = entries.length > 0 && entries.every((entry) => entry.isType)
    ;(isType ? types : loads).add(moduleRequest.value)
  }
  for (const { moduleRequest, isType } of exported) if (moduleRequest) (isType ? types : loads).add(moduleRequest.value)
  new Visitor({
    ImportExpression: ({ source }) => {
      if (source.type === 'Literal' && typeof source.value === 'string') loads.add(source.value)
    },
    TSImportType: ({ source }) => {
      types.add(source.value)
    },
  }).visit(program)

  return {
    path,
    lines: text.trimEnd().split('\n').length,
    imports: [...new Set([...loads, ...types])],
    loads: [...loads],
    hasDefaultExport: exported.some(({ exportName }) => exportName.kind === 'Default'),
    hasStarExport: exported.some(({ importName }) => importName.kind === 'AllButDefault'),
  }
}
