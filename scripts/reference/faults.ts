import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { defaultsIn, type Default } from './defaults.ts'
import type { PublicPackage } from './entry.ts'
import { membersOf, type Member } from './members.ts'
import { readModule, type Declared } from './source-module.ts'

/** Returns the exports without a comment. */
export function withoutSentence({ entries }: PublicPackage): string[] {
  return entries.flatMap(({ name, exports }) =>
    exports
      .filter(({ parts }) => !/^\S.*[.:;?!)`]/.test(parts[0]?.doc.text ?? ''))
      .map((one) => `${name}: ${one.name}`),
  )
}

/** Returns the optional members without a comment. */
export function withoutMeaning({ entries }: PublicPackage): string[] {
  return entries.flatMap(({ name, exports }) =>
    exports
      .filter((one) => /(?:Options|Props|Definition|Limits|Settings|Config)$/.test(one.name))
      .flatMap((one) => optionsOf(one).map((option) => ({ ...option, path: `${name}: ${one.name}.${option.key}` })))
      .filter(({ key, doc }) => doc.text === '' && key !== 'children')
      .map(({ path }) => path),
  )
}

/** Returns the options with a default in the code whose comment has no `@default`, or a different one. */
export function withoutDefault(root: string, { folder, entries }: PublicPackage): string[] {
  const options = new Map(entries.flatMap(({ exports }) => exports).map((one) => [one.name, optionsOf(one)]))
  const faults = sourcesIn(join(root, 'packages', folder, 'src')).flatMap((path) =>
    defaultsIn(readModule(path)).flatMap((one) => {
      const option = options.get(one.type)?.find(({ key }) => key === one.key)
      const fault = option === undefined ? null : faultOf(one, option.doc.default)
      return fault === null ? [] : [`${one.type}.${one.key} ${fault}: ${relative(root, path)}`]
    }),
  )
  return [...new Set(faults)]
}

function faultOf({ value }: Default, said: string | null): string | null {
  if (said === null) return 'has a default, but no @default'
  const documented = parseDefault(said)
  // A default in prose, or one that is known only at run time, cannot be compared.
  if (documented === undefined || value === undefined) return null
  const [is, says] = [value, documented].map((one) => JSON.stringify(one))
  return is === says ? null : `is ${is}, and its @default says ${says}`
}

const UNITS = new Map([
  ['KiB', 1024],
  ['MiB', 1_048_576],
])

/** Parses `5 000`, `20_000`, `1 MiB`, `true`, `'x'` and `{ quota: 10, window: 60 }`; undefined for prose. */
function parseDefault(said: string): unknown {
  const [, digits, unit = ''] = /^(\d[\d _.]*?)(?: (KiB|MiB))?$/.exec(said) ?? []
  if (digits !== undefined) return Number(digits.replaceAll(/[ _]/g, '')) * (UNITS.get(unit) ?? 1)
  if (/^(?:true|false|null)$/.test(said)) return JSON.parse(said)
  if (/^'[^']*'$/.test(said)) return said.slice(1, -1)
  const isObject = /^\{ (?:\w+: [\d_]+(?:, )?)+ \}$/.test(said)
  return isObject ? JSON.parse(said.replaceAll(/(\w+):/g, '"$1":').replaceAll('_', '')) : undefined
}

/** Returns the optional members; all members if the type is a type of limits. */
function optionsOf({ name, module, parts }: Declared): Member[] {
  return parts
    .flatMap(({ node }) => membersOf(module, node)?.own ?? [])
    .filter((member) => (member.isOptional || name.endsWith('Limits')) && !member.name.startsWith('['))
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return sourcesIn(path)
    return /\.tsx?$/.test(entry.name) && !/\.test[.-]/.test(entry.name) ? [path] : []
  })
}
