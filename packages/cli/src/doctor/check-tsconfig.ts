import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { parseSync } from 'vite'
import { toFindings, type DoctorCheck, type Finding } from './finding.ts'

type CompilerOptions = Readonly<Record<string, unknown>>

interface Tsconfig {
  readonly extends?: string | readonly string[]
  readonly compilerOptions?: CompilerOptions
}

type RequiredOption = Readonly<{ name: string; value: unknown; why: string }>

const REQUIRED_OPTIONS: readonly RequiredOption[] = [
  { name: 'strict', value: true, why: 'without it, route types are imprecise' },
  { name: 'moduleResolution', value: 'bundler', why: 'without it, TypeScript does not find the @sdk packages' },
  { name: 'allowImportingTsExtensions', value: true, why: "imports include file extensions, for example './agent.ts'" },
  { name: 'noEmit', value: true, why: 'Vite compiles the code, and TypeScript only checks it' },
]

const WEB_OPTION: RequiredOption = { name: 'jsx', value: 'react-jsx', why: 'the web app uses JSX' }

/** Checks that the TypeScript options match the way Vite compiles the project. */
export const checkTsconfig: DoctorCheck = ({ root, project }) => {
  const file = join(root, 'tsconfig.json')
  if (!existsSync(file)) {
    const fix = 'copy the tsconfig.json that npm create @sdk writes'
    const message = 'tsconfig.json is missing: editors cannot type-check the project'
    return toFindings('TSCONFIG_MISSING', 'warning', { message, place: 'tsconfig.json', fix })
  }
  const options = readCompilerOptions(file)
  if (options === null) return []
  return [...REQUIRED_OPTIONS, ...(project.web === null ? [] : [WEB_OPTION])]
    .filter(({ name, value }) => !isSameOption(options[name], value) && !isImplied(name, options))
    .map((wanted) => optionFinding(wanted, file))
}

function optionFinding({ name, value, why }: RequiredOption, file: string): Finding {
  const finding: Finding = {
    code: 'TSCONFIG_OPTION',
    level: 'warning',
    message: `${name} is not ${JSON.stringify(value)}: ${why}`,
    place: 'tsconfig.json',
    fix: `set "${name}": ${JSON.stringify(value)} in compilerOptions`,
  }
  // A file with comments is not repaired, since rewriting it would remove them.
  return isPlainJson(file) ? { ...finding, repair: () => setOption(file, name, value) } : finding
}

function setOption(file: string, name: string, value: unknown): void {
  const config = JSON.parse(readFileSync(file, 'utf8')) as Tsconfig
  const set = { ...config, compilerOptions: { ...config.compilerOptions, [name]: value } }
  writeFileSync(file, `${JSON.stringify(set, null, 2)}\n`)
}

function isPlainJson(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, 'utf8'))
    return true
  } catch {
    return false // the file contains comments or trailing commas
  }
}

function isSameOption(actual: unknown, expected: unknown): boolean {
  return typeof actual === 'string' && typeof expected === 'string'
    ? actual.toLowerCase() === expected
    : actual === expected
}

function isImplied(name: string, { module, emitDeclarationOnly }: CompilerOptions): boolean {
  if (name === 'noEmit') return emitDeclarationOnly === true
  return name === 'moduleResolution' && isSameOption(module, 'preserve')
}

/** Returns the compiler options, including inherited ones, or null if one of the configs cannot be read. */
function readCompilerOptions(file: string): CompilerOptions | null {
  const config = readTsconfig(file)
  if (config === null) return null
  const bases = [config.extends ?? []].flat().map((base) => {
    const path = findBase(base, file)
    return path === null ? null : readCompilerOptions(path)
  })
  if (bases.includes(null)) return null
  return Object.assign({}, ...bases, config.compilerOptions) as CompilerOptions
}

function findBase(base: string, from: string): string | null {
  try {
    if (!base.startsWith('.')) return createRequire(from).resolve(base)
    const path = resolve(dirname(from), base)
    return [path, `${path}.json`].find((one) => existsSync(one)) ?? null
  } catch {
    return null // the package is not installed
  }
}

/** Reads a `tsconfig.json`, which may contain comments and trailing commas. */
function readTsconfig(file: string): Tsconfig | null {
  const text = readFileSync(file, 'utf8')
  const { comments, errors } = parseSync('tsconfig.ts', `(${text}\n)`)
  if (errors.length > 0) return null
  const bare = comments.reduceRight((rest, { start, end }) => rest.slice(0, start - 1) + rest.slice(end - 1), text)
  try {
    return JSON.parse(bare.replaceAll(/,(?=\s*[\]}])/g, '')) as Tsconfig
  } catch {
    return null // TypeScript reports the error
  }
}
