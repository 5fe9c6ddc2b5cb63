import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Database } from '@sdk/database'
import { testApp, type EveryCrashOptions, type TestApp } from '@sdk/server/testing'
import { emptyDatabase } from '@sdk/test-kit'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { findPages, readPage, ROOT } from './docs/check/page.ts'
import { toSteps } from './docs/check/project.ts'
import { writePage } from './docs/write-page.ts'

// The example simulates a slow model.
vi.mock('node:timers/promises', () => ({ setTimeout: () => Promise.resolve() }))

/** How a durable agent of the documentation or the examples is tested. */
interface Case {
  readonly input: unknown
  readonly options?: EveryCrashOptions
  readonly user?: string
  readonly before?: (app: TestApp, database: Database) => Promise<unknown>
}

/** Adds two tasks that were done long ago, and none else. */
async function addOldTasks(_app: TestApp, database: Database): Promise<void> {
  await database.query('delete from tasks')
  const values = "('Tea', true, now() - interval '31 days'), ('Ice', true, now() - interval '32 days')"
  await database.query(`insert into tasks (title, done, updated_at) values ${values}`)
}

/** Adds the table of a resource that the page does not mount. */
async function addDocuments(_app: TestApp, database: Database): Promise<void> {
  await database.query('create table if not exists documents (deleted_at timestamptz)')
}

/** Adds the order 1 of Ada, unless it exists. */
async function addOrder(_app: TestApp, database: Database): Promise<void> {
  const order = "select 'kettle', 'ada' where not exists (select from orders)"
  await database.query(`insert into orders (item, owner_id) ${order}`)
}

/** Adds two tasks that are done, and none else. */
async function addDoneTasks(app: TestApp): Promise<void> {
  const { data } = (await app.call('GET /api/v1/tasks')) as { data: { id: number }[] }
  for (const { id } of data) await app.call('DELETE /api/v1/tasks/:id', { params: { id } })
  for (const title of ['Tea', 'Ice']) await app.call('POST /api/v1/tasks', { title, done: true })
}

/** Adds two tasks that were finished yesterday, and no digest. */
async function addTasksOfYesterday(app: TestApp, database: Database): Promise<void> {
  await addDoneTasks(app)
  await database.query("update tasks set updated_at = now() - interval '1 day'")
  await database.query("delete from messages where user_id = 'digest'")
}

/**
 * Every durable agent of a page or an example, by its place and name. An agent with a transaction step is null: the test
 * kit stores runs in memory, where such steps are rejected. So are agents that call a model, whose process
 * `tests/e2e/chat.test.ts` kills in the middle of an answer.
 */
const CASES: Readonly<Record<string, Readonly<Record<string, Case | null>>>> = {
  'docs/guide/ai-sdk.md': { chat: null, cleaner: null },
  'docs/guide/runs.md': {
    research: { input: { question: 'Why?' } },
    remind: { input: { text: 'Tea' } },
    buy: { input: { item: 'kettle', cost: 20 }, options: { events: { approval: { ok: true } } } },
    digest: { input: undefined },
    order: null,
    chat: { input: { text: 'Hello' } },
  },
  'docs/guide/testing.md': {
    clean: { input: undefined, before: addOldTasks },
    order: { input: { item: 'kettle' }, options: { events: { approval: { ok: true } } } },
  },
  'docs/how-to/durable-runs.md': {
    answer: { input: { question: 'Why?' } },
    reply: {
      input: { to: 'ada@example.com', message: 'Hello' },
      options: { events: { decision: { ok: true, text: 'Hello' } } },
    },
    archive: { input: undefined, before: addOldTasks },
    chat: { input: { text: 'Hello' } },
    confirm: { input: { id: 1 }, user: 'Ada', before: addOrder },
  },
  'docs/how-to/soft-delete.md': {
    purge: { input: undefined, before: addDocuments },
  },
  'examples/tasks': {
    assistant: null,
    digest: { input: undefined, user: 'Ada', before: addTasksOfYesterday },
    tidy: { input: undefined, user: 'Ada', options: { events: { approval: { ok: true } } }, before: addDoneTasks },
  },
}

const pages = findPages().filter((path) => namesIn(pageText(path)).length > 0)
const examples = readdirSync(join(ROOT, 'examples'))
  .map((name) => `examples/${name}`)
  .filter((path) => namesIn(exampleText(path)).length > 0)

/** Returns the code that a page shows itself. */
function pageText(path: string): string {
  const files = toSteps(readPage(path)).flatMap((step) => [...step.values()])
  return files.flatMap(({ page, text }) => (page === path ? text : [])).join('\n')
}

function exampleText(path: string): string {
  const folder = join(ROOT, path, 'src/agent')
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  const sources = files.filter((file) => file.endsWith('.ts'))
  return sources.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
}

/** Returns the names of the durable agents in a source text. */
function namesIn(text: string): string[] {
  const found = text.matchAll(/createAgent\('([\w-]+)', \{(?:(?!createAgent\().)*?\n {2}durable: (?:true|\{)/gs)
  return [...new Set([...found].map(([, name = '']) => name))].toSorted()
}

describe('durable agents', () => {
  it('are all listed here', () => {
    const found = [...pages.map((path) => [path, pageText(path)]), ...examples.map((path) => [path, exampleText(path)])]
    const listed = Object.entries(CASES).map(([place, cases]) => [place, Object.keys(cases).toSorted()])
    expect(Object.fromEntries(found.map(([place = '', text = '']) => [place, namesIn(text)]))).toEqual(
      Object.fromEntries(listed),
    )
  })
})

const tested = Object.entries(CASES).filter(([, cases]) => Object.values(cases).some((one) => one !== null))

describe.each(tested)('durable agents of %s', (place, cases) => {
  let app: TestApp
  let database: Database
  beforeAll(async () => {
    const folder = place.startsWith('docs/') ? (await writePage(place)).path : join(ROOT, place)
    vi.stubEnv('DATABASE_URL', await emptyDatabase())
    app = await testApp(folder)
    const file = pathToFileURL(join(folder, 'src/database.ts')).href
    ;({ database } = (await import(/* @vite-ignore */ file)) as { database: Database })
    return async () => {
      await app.close()
      vi.unstubAllEnvs()
    }
  }, 120_000)
  afterEach(() => void (vi.unstubAllGlobals(), vi.restoreAllMocks()))

  it.each(Object.entries(cases).flatMap(([name, one]) => (one === null ? [] : [[name, one] as const])))(
    '%s survives a crash at every step',
    async (name, { input, options, user, before }) => {
      vi.stubGlobal('fetch', async () => new Response('One two three.'))
      const log = vi.spyOn(console, 'log').mockImplementation(() => {})
      const caller = user === undefined ? app : app.as({ name: user })
      const crashes = await caller.runs.everyCrash(name, input, {
        effects: () => log.mock.calls,
        before: () => before?.(caller, database),
        ...options,
      })
      expect(crashes.length).toBeGreaterThan(2)
      expect(crashes.at(-1)).toBe(`before the run ends (${name})`)
    },
    60_000,
  )
})
