import { createChunkSplitter, fillPath, framingOf, fromEnvelope, isEnvelope, parseRoute } from '@sdk/protocol'
import type { App } from './app.ts'

/** What a test call may carry beside its input. */
export interface TestCallOptions {
  params?: Record<string, string | number>
  query?: Record<string, string | number | boolean>
  headers?: Record<string, string>
}

/** An app under test: called by its route strings, with no port. */
export interface TestApp {
  /** Calls a route; a failure rejects with the `ApiError`. */
  call(route: string, input?: unknown, options?: TestCallOptions): Promise<unknown>
  /** An agent by its name. */
  agent(name: string): TestAgent
  /** Closes the app. */
  close(): Promise<void>
}

/** An agent under test. */
export interface TestAgent {
  /** Runs it for its one answer. */
  call(input?: unknown): Promise<unknown>
  /** Runs it for all its chunks. */
  collect(input?: unknown): Promise<unknown[]>
}

/**
 * Puts an app under test.
 * @example await testApp(app).agent('summarize').collect({ text: 'One. Two.' })
 */
export function testApp(app: App): TestApp {
  const run = async (route: string, input: unknown, options: TestCallOptions = {}): Promise<unknown[]> =>
    readChunks(await app.fetch(toRequest(route, input, options)))
  const one = async (route: string, input: unknown, options?: TestCallOptions): Promise<unknown> =>
    (await run(route, input, options))[0]
  return {
    call: one,
    agent: (name) => ({
      call: (input) => one(`POST /agent/${name}`, input),
      collect: (input) => run(`POST /agent/${name}`, input),
    }),
    close: () => app.close(),
  }
}

function toRequest(route: string, input: unknown, options: TestCallOptions): Request {
  const { methods, path } = parseRoute(route)
  const url = new URL(fillPath(path, options.params), 'http://localhost')
  for (const [name, value] of Object.entries(options.query ?? {})) url.searchParams.set(name, String(value))
  const body = input === undefined ? {} : { body: JSON.stringify(input) }
  const type = input === undefined ? {} : { 'content-type': 'application/json' }
  return new Request(url, { method: methods[0] ?? 'GET', headers: { ...type, ...options.headers }, ...body })
}

async function readChunks(response: Response): Promise<unknown[]> {
  if (!response.ok) throw fromEnvelope(await response.json(), { status: response.status })
  const framing = framingOf(response.headers.get('content-type'))
  if (framing === null) return [await response.json()]
  const splitter = createChunkSplitter(framing)
  const chunks = [...splitter.push(new Uint8Array(await response.arrayBuffer())), ...splitter.end()]
  const last = chunks.at(-1)
  if (isEnvelope(last)) throw fromEnvelope(last, { status: 500 })
  return chunks
}
