import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { EvaluatedModuleNode, EvaluatedModules } from 'vite/module-runner'
import { didYouMean } from '../closest-match.ts'

/** A module compiled by Vite. Node itself checks the imports of all other modules. */
type CompiledModule = EvaluatedModuleNode & { readonly meta: { readonly code: string } }

/** Matches an import as Vite compiles it: the variable, the module's URL, and the imported names. */
const IMPORT = /const (__vite_ssr_import_\d+__) = await __vite_ssr_import__\(("[^\n]*?"), (\{[^\n]*\})\);/g

/** Matches a compiled export. Exports are not checked: they may re-export types, which do not exist at run time. */
const EXPORT = /^__vite_ssr_exportName__\(.*$/gm

/**
 * Throws if a module, or one of its imports, uses a name that the imported file does not export. Node and the build
 * would reject such an import, but in Vite's runner the name is `undefined`.
 */
export function assertExportsExist(entry: string, modules: EvaluatedModules, root: string): void {
  const seen = new Set<EvaluatedModuleNode>()
  const waiting = [...(modules.getModulesByFile(entry) ?? [])]
  for (let module = waiting.pop(); module !== undefined; module = waiting.pop()) {
    if (seen.has(module) || !isCompiled(module)) continue
    seen.add(module)
    assertImportsExist(module, modules, root)
    for (const id of module.imports) {
      const next = modules.getModuleById(id)
      if (next !== undefined) waiting.push(next)
    }
  }
}

function assertImportsExist(module: CompiledModule, modules: EvaluatedModules, root: string): void {
  const code = module.meta.code.replaceAll(EXPORT, '')
  for (const [, variable = '', url = '', names = ''] of code.matchAll(IMPORT)) {
    const from = modules.getModuleByUrl(JSON.parse(url) as string)
    if (from === undefined || !isCompiled(from)) continue
    const { importedNames = [] } = JSON.parse(names) as { importedNames?: string[] }
    // An imported name that the code does not use is a type.
    const missing = importedNames.find(
      (name) => !(name in Object(from.exports)) && code.includes(`${variable}.${name}`),
    )
    if (missing === undefined) continue
    const error = new SyntaxError(`${relative(root, from.file)} ${describeMissing(missing, from.exports)}`)
    throw Object.assign(error, { loc: { file: module.file, ...findFirstUse(missing, module.file) } })
  }
}

function describeMissing(name: string, exports: unknown): string {
  const names = Object.keys(Object(exports) as object)
  const has = names.length === 0 ? 'it exports nothing' : `it exports ${names.join(', ')}`
  return `does not export ${name}: ${didYouMean(name, names) ?? has}`
}

/** Returns the position where a name is first used in a file. Columns start at 0, as in the compiler. */
function findFirstUse(name: string, file: string): { line: number; column: number } {
  const text = readFileSync(file, 'utf8')
  const at = Math.max(
    0,
    text.search(new RegExp(String.raw`(?<![\w$])${name.replaceAll('$', String.raw`\$`)}(?![\w$])`)),
  )
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: before.at(-1)?.length ?? 0 }
}

function isCompiled(module: EvaluatedModuleNode): module is CompiledModule {
  return module.meta !== undefined && 'code' in module.meta
}
