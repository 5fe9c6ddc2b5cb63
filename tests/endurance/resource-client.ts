import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createDatabase, type NodeProcess, spawnNode } from '@sdk/test-kit'
import type { Page } from '@sdk/protocol'
import { choose } from '../chaos/mode.ts'
import type { Plan } from './resource-server.ts'

/** The kinds of stores; `memory` is `memoryStore()`. */
type StoreName = 'memory' | 'pglite' | 'postgres'

/**
 * The stores that are tested. A short run leaves out PGlite, which runs the statements of PostgreSQL, and is used by
 * resource-kill.test.ts and by tests/conformance/resources.
 */
export const STORES: readonly StoreName[] = choose(['memory', 'pglite', 'postgres'], ['memory', 'postgres'])

/** One process with a server on a new store of each kind, and their URLs. */
export interface ServerOfStores extends Record<StoreName, string> {
  readonly process: NodeProcess
}

/** Starts a server on each kind of store. They share a process, since starting one takes a second. */
export async function startStores(): Promise<ServerOfStores> {
  const [process, database] = await Promise.all([startServer('memory'), createDatabase()])
  const start = (store: StoreName, url: string): Promise<string> =>
    STORES.includes(store) ? startWithin(process, { url }) : Promise.resolve('')
  const [pglite, postgres] = await Promise.all([start('pglite', 'pglite://memory'), start('postgres', database)])
  return { process, memory: process.url, pglite, postgres }
}

/** A server in a separate process, with its tables created; `memory` uses `memoryStore()`. */
export async function startServer(url: string): Promise<NodeProcess> {
  const server = await spawnNode({
    file: join(import.meta.dirname, 'resource-server.ts'),
    env: { NODE_ENV: 'production', DATABASE_URL: url },
  })
  await readLists(server.url)
  return server
}

/** Starts another server in a process, on a database that has its tables. Returns its URL. */
export async function startWithin(process: NodeProcess, plan: Partial<Plan> & Pick<Plan, 'url'>): Promise<string> {
  const body = { version: 'first', owner: '', ...plan }
  const { url } = await must(200, send<{ url: string }>(process.url, 'POST /agent/start', { body }))
  await readLists(url)
  return url
}

/** Waits until the tables exist. */
async function readLists(base: string): Promise<void> {
  await Promise.all(['items', 'counters'].map((name) => must(200, send(base, `GET /api/v1/${name}`))))
}

/** Returns the errors that a server logged. */
export function errorsOf(server: NodeProcess): string[] {
  return server
    .output()
    .split('\n')
    .filter((line) => line !== '' && line !== server.url)
}

/** A complete response. */
export interface JsonResponse<T> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: T
}

/** Instead of `fetch`, which is slow and normalizes some paths. */
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends `METHOD /path` with JSON, and reads the response. Rejects if there is none, or it is truncated. */
export async function send<T = unknown>(
  base: string,
  line: string,
  { body, headers }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<JsonResponse<T>> {
  const [method, path] = line.split(' ')
  const content = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const type =
    content === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }
  const sent = request(base, { agent, method, path, headers: { ...type, ...headers } }).end(content)
  // A connection that breaks after the response started is reported by the response.
  sent.on('error', () => undefined)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const received = await text(response)
  const { statusCode: status = 0, headers: fields } = response
  return { status, headers: fields, body: (received === '' ? null : JSON.parse(received)) as T }
}

/** Sends a request that must succeed with this status, and returns the body. */
export async function must<T>(status: number, sent: Promise<JsonResponse<T>>): Promise<T> {
  const response = await sent
  if (response.status !== status) throw new Error(`${response.status} ${JSON.stringify(response.body)}, not ${status}`)
  return response.body
}

/** A list from its first page to its last, and back to the first. */
export interface Walk<T> {
  readonly forward: T[]
  /** Also in the order of the list. */
  readonly backward: T[]
  readonly pages: number
}

/** Follows a list, such as `/api/v1/items?limit=100`, by its cursors to the end and back. */
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
