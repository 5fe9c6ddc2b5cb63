import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import * as templates from './templates.ts'
import type { AddableKind, TemplateOptions } from './templates.ts'
import { addRegistration, toRegistrationLines, type ApiRegistration } from './edit-api.ts'
import { discover } from '../discover.ts'
import { Failure } from '../failure.ts'
import { dependenciesOf, findPackage, readManifest } from '../manifest.ts'
import { managerCommands } from '../package-manager.ts'

/** The result of `add`. All paths are relative to the project. */
export interface AddResult {
  /** The route of the new module. */
  readonly route: string
  readonly written: readonly string[]
  readonly changed: readonly string[]
  /** Lines that the user must add to `src/api/index.ts` because it could not be edited. */
  readonly missing: readonly string[]
  /** Further steps for the user. @default none */
  readonly next?: readonly string[]
}

const API_FILE = 'src/api/index.ts'

const PATH_PART = {
  rule: /^[a-z][a-zA-Z0-9-]{0,63}$/,
  says: 'must start with a lowercase letter and have at most 64 characters: letters, digits and "-"',
}

/** The kinds of modules that have a name. */
type NamedKind = Exclude<AddableKind, 'mcp' | 'chat'>

const NAME_RULES: Readonly<Record<NamedKind, { rule: RegExp; says: string; example: string }>> = {
  agent: { ...PATH_PART, example: 'daily-report' },
  route: { ...PATH_PART, example: 'reports' },
  socket: { ...PATH_PART, example: 'chat' },
  resource: { rule: /^[a-z][a-zA-Z0-9]{0,62}$/, says: 'must be a plural noun in camelCase', example: 'tasks' },
}

/** The kinds of modules that `sdk add` supports. */
export const ADDABLE_KINDS: readonly string[] = [...Object.keys(NAME_RULES), 'chat', 'mcp']

const RESERVED_WORDS: ReadonlySet<string> = new Set(
  'await break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return static super switch this throw true try typeof var void while with yield let package private protected public interface implements arguments eval'.split(
    ' ',
  ),
)

/** Options for `add`. */
export interface AddOptions {
  readonly name: string
  /** The resource that each row of a new resource belongs to. @default none */
  readonly belongsTo?: string | undefined
}

/** Adds a new module's files to a project and registers the module in the API. Never overwrites a module. */
export function add(root: string, kind: NamedKind, options: string | AddOptions): AddResult {
  const { name, belongsTo }: AddOptions = typeof options === 'string' ? { name: options } : options
  assertValidName(kind, name)
  if (belongsTo !== undefined) assertValidName('resource', belongsTo)
  const facts = { ...readTemplateOptions(root, name), belongsTo: belongsTo ?? null }
  if (kind !== 'route') assertInstalled(root, 'zod')
  if (kind === 'agent') return addAgentFiles(root, facts)
  const file = `src/api/${name}.ts`
  const { source, call, route } = toApiModule(kind, facts)
  writeNewFiles(root, { [file]: source })
  const edit = registerInApi(root, { variable: facts.variable, from: `./${name}.ts`, call })
  return { route, ...edit, written: [file, ...edit.written] }
}

/** The version of the MCP SDK that `@sdk/mcp` requires. */
const MCP_SDK = { name: '@modelcontextprotocol/server', version: '^2.4.0' }

/** Adds the route `POST /api/mcp` with the project's agents that are not durable as tools, and the packages. */
export function addMcp(root: string): AddResult {
  const file = 'src/api/mcp.ts'
  const agents = discover(root).agents.filter((agent) => !isDurable(dirname(agent.file)))
  writeNewFiles(root, { [file]: templates.mcpSource(agents.map(({ name }) => name)) })
  const call = `.on('POST /api/mcp', mcpRoute)`
  const edit = registerInApi(root, { variable: 'mcpRoute', from: './mcp.ts', call })
  // A project that was created from a clone has tarballs, such as file:vendor/sdk-server.tgz.
  const version = (dependenciesOf(readManifest(root))['@sdk/server'] ?? 'latest').replace('sdk-server', 'sdk-mcp')
  addDependencies(root, { '@sdk/mcp': version, [MCP_SDK.name]: MCP_SDK.version })
  return {
    ...edit,
    route: 'POST /api/mcp',
    written: [file, ...edit.written],
    changed: [...edit.changed, 'package.json'],
  }
}

/** Whether an agent is durable, according to the source text in its folder. A durable agent cannot be a tool. */
function isDurable(folder: string): boolean {
  return readdirSync(folder)
    .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
    .some((name) => /\bdurable:\s*(?:true|\{)/.test(readFileSync(join(folder, name), 'utf8')))
}

/** Adds dependencies to `package.json`, except those that it already has. */
export function addDependencies(root: string, added: Readonly<Record<string, string>>): void {
  const manifest = readManifest(root)
  const dependencies = { ...added, ...manifest.dependencies }
  const sorted = Object.fromEntries(Object.entries(dependencies).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(join(root, 'package.json'), `${JSON.stringify({ ...manifest, dependencies: sorted }, null, 2)}\n`)
}

function addAgentFiles(root: string, facts: TemplateOptions): AddResult {
  const folder = `src/agent/${facts.name}`
  // `agent.ts` is written first: `index.ts` imports it, and a running dev server may load `index.ts` immediately.
  const files = { [`${folder}/agent.ts`]: templates.agentSource(facts), [`${folder}/index.ts`]: templates.AGENT_INDEX }
  writeNewFiles(root, files)
  return { route: `POST /agent/${facts.name}`, written: Object.keys(files), changed: [], missing: [] }
}

function toApiModule(kind: Exclude<NamedKind, 'agent'>, facts: TemplateOptions) {
  const { name, variable } = facts
  if (kind === 'resource')
    return {
      source: templates.resourceSource(facts),
      call: `.resource('v1', ${variable})`,
      route: `GET /api/v1/${name}`,
    }
  if (kind === 'socket')
    return { source: templates.socketSource(facts), call: `.socket('/ws/${name}', ${variable})`, route: `/ws/${name}` }
  return {
    source: templates.routeSource(facts),
    call: `.mount('/api/${name}', ${variable})`,
    route: `GET /api/${name}`,
  }
}

/** Writes all files or none: throws before writing anything if one of the files already exists. */
export function writeNewFiles(root: string, files: Readonly<Record<string, string>>): void {
  const there = Object.keys(files).find((file) => existsSync(join(root, file)))
  if (there !== undefined) {
    throw new Failure(`${there} already exists: sdk add does not overwrite files`, {
      code: 'FILE_EXISTS',
      fix: 'choose another name, or move the file',
    })
  }
  // Each file is written to a temporary folder and then moved, since `sdk dev` could otherwise load an empty file.
  const drafts = mkdtempSync(join(root, '.sdk-add-'))
  try {
    for (const [file, text] of Object.entries(files)) {
      const draft = join(drafts, 'draft')
      writeFileSync(draft, text)
      mkdirSync(dirname(join(root, file)), { recursive: true })
      renameSync(draft, join(root, file))
    }
  } finally {
    rmSync(drafts, { recursive: true })
  }
}

/** Registers a module in `src/api/index.ts`, and creates that file if it does not exist. */
export function registerInApi(root: string, hook: ApiRegistration): Pick<AddResult, 'written' | 'changed' | 'missing'> {
  const file = join(root, API_FILE)
  const isNew = !existsSync(file)
  const edited = addRegistration(isNew ? templates.EMPTY_API : readFileSync(file, 'utf8'), hook)
  if (edited === null) return { written: [], changed: [], missing: toRegistrationLines(hook) }
  writeFileSync(file, edited)
  return isNew ? { written: [API_FILE], changed: [], missing: [] } : { written: [], changed: [API_FILE], missing: [] }
}

/** Throws if a module of this kind cannot have this name. */
export function assertValidName(kind: NamedKind, name: string): void {
  const { rule, says, example } = NAME_RULES[kind]
  const issue = !rule.test(name)
    ? `the name of ${kind === 'agent' ? 'an' : 'a'} ${kind} ${says}, got ${JSON.stringify(name)}`
    : kind !== 'agent' && (RESERVED_WORDS.has(toVariable(name)) || name === 'index')
      ? `${JSON.stringify(name)} is reserved and cannot be used as a name`
      : kind === 'route' && (name === 'auth' || /^v\d+$/.test(name))
        ? `/api/${name} is reserved for ${name === 'auth' ? 'auth' : 'resources'}`
        : null
  if (issue === null) return
  const fix = `choose another name, for example sdk add ${kind} ${example}`
  throw new Failure(issue, { code: 'INVALID_NAME', fix })
}

/** Throws if a package that the new files import is not installed. */
export function assertInstalled(root: string, name: string): void {
  if (findPackage(root, name) !== null) return
  throw new Failure(`the new files import ${name}, which is not installed in ${root}`, {
    code: 'PACKAGE_MISSING',
    fix: `${managerCommands(root).add} ${name}`,
  })
}

function readTemplateOptions(root: string, name: string): Omit<TemplateOptions, 'belongsTo'> {
  const shared = join(root, 'src/database.ts')
  const sharesDatabase = existsSync(shared) && /^export const database\b/m.test(readFileSync(shared, 'utf8'))
  return {
    name,
    variable: toVariable(name),
    hasDatabase: sharesDatabase || dependenciesOf(readManifest(root))['@sdk/database'] !== undefined,
    sharesDatabase,
  }
}

/** Returns a name in camelCase. */
export function toVariable(name: string): string {
  return name.replaceAll(/-+([a-zA-Z0-9]?)/g, (_, letter: string) => letter.toUpperCase())
}
