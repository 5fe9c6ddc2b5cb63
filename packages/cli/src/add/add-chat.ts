import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  addDependencies,
  assertInstalled,
  assertValidName,
  registerInApi,
  toVariable,
  writeNewFiles,
  type AddResult,
} from './add.ts'
import { addToMain } from './edit-page.ts'
import { toSingular } from './templates.ts'
import { Failure } from '../failure.ts'
import { dependenciesOf, readManifest } from '../manifest.ts'

const TEMPLATE = fileURLToPath(new URL('../../template/chat', import.meta.url))

const APP_FILE = 'src/web/App.tsx'

/** The versions of the AI SDK: version 7 of `ai` requires Node 22. */
const AI_SDK = {
  node20: { ai: '^6.0.319', '@ai-sdk/react': '^3.0.322' },
  node22: { ai: '^7.0.173', '@ai-sdk/react': '^4.0.177' },
}

/** Options for `addChat`. */
export interface AddChatOptions {
  readonly name: string
  /** The major version of Node that runs the project. @default the one that runs this process */
  readonly node?: number
}

/**
 * Adds a chat: a resource for its messages, a durable agent with the project's routes as tools, and a page. Never
 * overwrites a file.
 */
export function addChat(
  root: string,
  { name, node = Number.parseInt(process.versions.node) }: AddChatOptions,
): AddResult {
  assertValidName('agent', name)
  assertComplete(root)
  const names = toNames(name)
  const written = readTemplate(names, toTools(readRoutes(root)))
  writeNewFiles(root, written)
  const variable = `${names.variable}Messages`
  const edit = registerInApi(root, { variable, from: `./${name}-messages.ts`, call: `.resource('v1', ${variable})` })
  const isShown = showPage(root, `${names.component}Page`)
  // A project that has the AI SDK keeps its version.
  const isNew = dependenciesOf(readManifest(root))['ai'] === undefined
  if (isNew) addDependencies(root, AI_SDK[node >= 22 ? 'node22' : 'node20'])
  return {
    route: `POST /agent/${name}`,
    written: [...Object.keys(written), ...edit.written],
    changed: [...edit.changed, ...(isShown ? [APP_FILE] : []), ...(isNew ? ['package.json'] : [])],
    missing: edit.missing,
    next: [
      ...(isShown
        ? []
        : [`show <${names.component}Page /> of src/web/components/${names.component}Page.tsx on a page`]),
      `a demo model answers, without a key; src/agent/${name}/model.ts says how to use a real one`,
      `the tools of the model are listed in src/agent/${name}/agent.ts`,
    ],
  }
}

/** Throws if the project lacks users, a database or a web app. */
function assertComplete(root: string): void {
  for (const name of ['zod', '@sdk/auth', '@sdk/database', '@sdk/react']) assertInstalled(root, name)
  for (const [file, exported] of [
    ['src/database.ts', 'database'],
    ['src/auth.ts', 'auth'],
  ] as const) {
    const path = join(root, file)
    if (existsSync(path) && new RegExp(`^export const ${exported}\\b`, 'm').test(readFileSync(path, 'utf8'))) continue
    throw new Failure(`a chat needs users and a database, but ${file} does not export ${exported}`, {
      code: 'FILE_MISSING',
      fix: `create ${file} as the default template of npm create @sdk has it`,
    })
  }
  if (existsSync(join(root, 'src/web/index.tsx'))) return
  throw new Failure('a chat needs a web app, but there is no src/web/index.tsx', {
    code: 'FILE_MISSING',
    fix: 'create src/web/index.tsx as the default template of npm create @sdk has it',
  })
}

interface ChatNames {
  readonly name: string
  readonly variable: string
  readonly component: string
}

function toNames(name: string): ChatNames {
  const variable = toVariable(name)
  return { name, variable, component: `${variable.slice(0, 1).toUpperCase()}${variable.slice(1)}` }
}

/** Returns the files of the template, with the names and tools of this chat. */
function readTemplate({ name, variable, component }: ChatNames, tools: ChatTools): Record<string, string> {
  const table = variable.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const fill = (text: string): string =>
    text
      .replaceAll('chat-name', name)
      .replaceAll('chatName', variable)
      .replaceAll('ChatName', component)
      .replaceAll('chat_name', table)
      .replace('{/* tools */}', tools.offered)
      .replace('[/* approvals */]', tools.approved)
  const files = readdirSync(TEMPLATE, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name))
  // `index.ts` is written last: it imports the other files, and a running dev server may load it immediately.
  const isIndex = (path: string): number => Number(path.endsWith('index.ts'))
  const sorted = paths.toSorted((a, b) => isIndex(a) - isIndex(b) || (a < b ? -1 : 1))
  return Object.fromEntries(
    sorted.map((path) => [
      fill(path.slice(TEMPLATE.length + 1).replaceAll('\\', '/')),
      fill(readFileSync(path, 'utf8')),
    ]),
  )
}

/** The source text of the tools and of the names of those that need approval. */
interface ChatTools {
  readonly offered: string
  readonly approved: string
}

/** Returns the routes of the project, as the last `sdk dev`, `sdk build` or `sdk types` has found them. */
function readRoutes(root: string): string[] {
  const file = join(root, 'src/sdk-routes.d.ts')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return Array.from(text.matchAll(/^ {4}'([A-Z]+ [^']+)':/gm), ([, route = '']) => route)
}

/** Offers lists and changes of resources, and agents that are not durable. Deletions need approval. */
function toTools(routes: readonly string[]): ChatTools {
  const tools = routes.flatMap((route) => {
    const name = toToolName(route, routes)
    return name === null ? [] : [{ name, route }]
  })
  const approved = tools.filter(({ route }) => route.startsWith('DELETE')).map(({ name }) => `'${name}'`)
  const lines = tools.map(({ name, route }) => `  ${name}: '${route}',\n`)
  return { offered: lines.length === 0 ? '{}' : `{\n${lines.join('')}}`, approved: `[${approved.join(', ')}]` }
}

function toToolName(route: string, routes: readonly string[]): string | null {
  const [, agent] = /^POST \/agent\/([^/]+)$/.exec(route) ?? []
  if (agent !== undefined) return routes.includes(`GET /agent/${agent}/runs`) ? null : `call${toNames(agent).component}`
  const [, method = '', resource = '', id] = /^([A-Z]+) \/api\/v\d+\/(\w+)(\/:id)?$/.exec(route) ?? []
  const one = toNames(toSingular(resource)).component
  if (method === 'GET' && id === undefined) return `list${toNames(resource).component}`
  if (method === 'POST' && id === undefined) return `create${one}`
  return method === 'DELETE' && id !== undefined ? `delete${one}` : null
}

/** Shows a component at the end of the page's `<main>`. Returns false if the page cannot be edited safely. */
function showPage(root: string, component: string): boolean {
  const file = join(root, APP_FILE)
  const edited = existsSync(file)
    ? addToMain(readFileSync(file, 'utf8'), { component, from: `./components/${component}.tsx` })
    : null
  if (edited !== null) writeFileSync(file, edited)
  return edited !== null
}
