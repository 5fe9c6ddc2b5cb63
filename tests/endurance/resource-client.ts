import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createDatabase, type NodeProcess, spawnNode } from '@sdk/test-kit'
import type { Page } from '@sdk/protocol'
import type { Plan } from './resource-server.ts'

/** Where rows can be kept; `memory` is `memoryStore()`. */
export const STORES = ['memory', 'pglite', 'postgres'] as const

/** One process with a server on a new store of each kind, and their addresses. */
export interface ServerOfStores extends Record<(typeof STORES)[number], string> {
  readonly process: NodeProcess
}

/** Starts a server on each kind of store. One process has them all, since to start one takes a second. */
export async function startStores(): Promise<ServerOfStores> {
  const [process, database] = await Promise.all([startServer('memory'), createDatabase()])
  const [pglite, postgres] = await Promise.all(
    ['pglite://memory', database].map((url) => startWithin(process, { url })),
  )
  return { process, memory: process.url, pglite: String(pglite), postgres: String(postgres) }
}

/** A server in a process of its own, whose tables are made; `memory` keeps rows in `memoryStore()`. */
export async function startServer(url: string): Promise<NodeProcess> {
  const server = await spawnNode({
    file: join(import.meta.dirname, 'resource-server.ts'),
    env: { NODE_ENV: 'production', DATABASE_URL: url },
  })
  await readLists(server.url)
  return server
}

/** One more server in a process, on a database where its tables are made; gives its address. */
export async function startWithin(process: NodeProcess, plan: Partial<Plan> & Pick<Plan, 'url'>): Promise<string> {
  const body = { version: 'first', owner: '', ...plan }
  const { url } = await must(200, send<{ url: string }>(process.url, 'POST /agent/start', { body }))
  await readLists(url)
  return url
}

/** Whoever asks first waits until the tables are there. */
async function readLists(base: string): Promise<void> {
  await Promise.all(['items', 'counters'].map((name) => must(200, send(base, `GET /api/v1/${name}`))))
}

/** What a server printed beside its address: the errors that it logged. */
export function errorsOf(server: NodeProcess): string[] {
  return server
    .output()
    .split('\n')
    .filter((line) => line !== '' && line !== server.url)
}

/** An answer, read to its end. */
export interface Answer<T> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: T
}

/** `fetch` takes as long as the server itself, and changes some paths. */
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends `METHOD /path` with JSON, and reads the answer. Rejects where there is none, or it is cut off. */
export async function send<T = unknown>(
  base: string,
  line: string,
  { body, headers }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer<T>> {
  const [method, path] = line.split(' ')
  const content = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const type =
    content === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }
  const sent = request(base, { agent, method, path, headers: { ...type, ...headers } }).end(content)
  // A connection that breaks after the answer began is told by the answer.
  sent.on('error', () => undefined)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const answer = await text(response)
  const { statusCode: status = 0, headers: fields } = response
  return { status, headers: fields, body: (answer === '' ? null : JSON.parse(answer)) as T }
}

/** Sends what must succeed with this status, and gives the body. */
export async function must<T>(status: number, sent: Promise<Answer<T>>): Promise<T> {
  const answer = await sent
  if (answer.status !== status) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}, not ${status}`)
  return answer.body
}

/** A list from its first page to its last, and, from there, back to the first. */
export interface Walk<T> {
  readonly forward: T[]
  /** In the order of the list too. */
  readonly backward: T[]
  readonly pages: number
}

/** Walks a list, such as `/api/v1/items?limit=100`, by its cursors to its end and back. */
export async function walk<T, Kept = T>(base: string, path: string, keep: (row: T) => Kept): Promise<Walk<Kept>> {
  const read = (cursor: string | null): Promise<Page<T>> => {
    const query = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    return must(200, send<Page<T>>(base, `GET ${path}${query}`))
  }
  let page = await read(null)
  const forward = page.data.map(keep)
  let pages = 1
  while (page.pagination.nextCursor !== null) {
    page = await read(page.pagination.nextCursor)
    forward.push(...page.data.map(keep))
    pages++
  }
  const back = [page.data.map(keep)]
  while (page.pagination.prevCursor !== null) {
    page = await read(page.pagination.prevCursor)
    back.push(page.data.map(keep))
  }
  return { forward, backward: back.toReversed().flat(), pages }
}
