import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { Failure } from '../failure.ts'

/** A call to an agent. */
export interface AgentCall {
  /** The URL of the server. */
  readonly url: string
  readonly name: string
  /** The input as JSON text. If it is undefined, no body is sent. */
  readonly input: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** An agent's response: one value, the chunks of a stream, or text that is not JSON. */
export type AgentResponse =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<unknown> } // including a `Retraction`
  | { readonly kind: 'text'; readonly text: AsyncIterable<string> }

/** The sign in the chunks of a durable run that only the first `keep` chunks remain. */
export class Retraction {
  readonly keep: number

  constructor(keep: number) {
    this.keep = keep
  }
}

/** Calls an agent. An error response is thrown as a `Failure` that includes the error envelope. */
export async function callAgent(call: AgentCall): Promise<AgentResponse> {
  const response = await assertOk(await sendCall(call))
  const type = response.headers.get('content-type') ?? ''
  const body = response.body as ReadableStream<Uint8Array> | null
  if (type.startsWith('application/json')) return { kind: 'value', value: await response.json() }
  if (type.startsWith('application/x-ndjson')) return { kind: 'stream', chunks: readStreamChunks(response, call) }
  return { kind: 'text', text: readTextChunks(body, call) }
}

/** Sends a call. Throws a `Failure` if there is no server. */
export function sendCall({ input, ...call }: AgentCall): Promise<Response> {
  const type = input === undefined ? {} : { 'content-type': 'application/json' }
  return send(call, '', { method: 'POST', headers: type, ...(input === undefined ? {} : { body: input }) })
}

async function send(
  { url, name, headers, signal }: Omit<AgentCall, 'input'>,
  path: string,
  init: { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
): Promise<Response> {
  const accept = 'application/x-ndjson, application/json, */*;q=0.1'
  try {
    return await fetch(new URL(`/agent/${encodeURIComponent(name)}${path}`, url), {
      ...init,
      signal,
      headers: { accept, ...init.headers, ...headers },
    })
  } catch (cause) {
    if (signal.aborted) throw cause
    throw new Failure(`no server at ${url}: ${errorReason(cause)}`, {
      code: 'NO_SERVER',
      fix: 'start the server, or omit --url to run the agent locally',
      cause,
    })
  }
}

async function assertOk(response: Response): Promise<Response> {
  if (response.ok) return response
  throw toCallFailure(await response.text(), response)
}

/** The last line of the stream of a durable run. A stream without it was cut, for example by a retraction. */
const END_LINE = ' '

/** Reads the chunks of a response. The stream of a durable run continues after it was cut. */
async function* readStreamChunks(first: Response, call: AgentCall): AsyncGenerator {
  const run = first.headers.get('run-id')
  for (let response = first, position = positionOf(first); ;) {
    let isWhole = run === null
    try {
      for await (const line of readLines(response, call)) {
        isWhole ||= line === END_LINE
        const chunks = parseLine(line)
        position.index += chunks.length
        yield* chunks
      }
    } catch (error) {
      if (run === null || !(error instanceof Failure) || error.code !== 'NO_SERVER') throw error
    }
    if (isWhole) return
    const path = `/runs/${run}/chunks?at=${position.epoch}.${position.index}`
    response = await assertOk(await send(call, path, {}))
    const next = positionOf(response)
    if (next.index < position.index) yield new Retraction(next.index)
    position = next
  }
}

/** Returns the chunk of a line, if it has one. */
function parseLine(line: string): unknown[] {
  if (line.trim() === '') return []
  const chunk: unknown = JSON.parse(line)
  if (isFailureEnvelope(chunk)) throw toCallFailure(line, null)
  return [chunk]
}

/** Returns the position of the first chunk in a response. */
function positionOf({ headers }: Response): { readonly epoch: number; index: number } {
  const [epoch = 1, index = 0] = (headers.get('run-position') ?? '1.0').split('.').map(Number)
  return { epoch, index }
}

async function* readLines({ body }: Response, call: AgentCall): AsyncGenerator<string> {
  if (body === null) return
  const input = Readable.fromWeb(body as ReadableStream<Uint8Array>)
  yield* withConnectionFailure(createInterface({ input, crlfDelay: Infinity }), call)
}

async function* readTextChunks(body: ReadableStream<Uint8Array> | null, call: AgentCall): AsyncGenerator<string> {
  if (body === null) return
  // Without `ignoreBOM`, Node 24 would also drop byte order marks inside the text.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  for await (const bytes of withConnectionFailure(body, call)) yield decoder.decode(bytes, { stream: true })
}

/** Converts the error for a lost connection to a `Failure`, since it would otherwise look like a bug in the SDK. */
async function* withConnectionFailure<T>(source: AsyncIterable<T>, { signal, url }: AgentCall): AsyncGenerator<T> {
  try {
    yield* source
  } catch (cause) {
    if (signal.aborted) throw cause
    throw new Failure(`the connection to ${url} was lost: ${errorReason(cause)}`, {
      code: 'NO_SERVER',
      fix: 'check the server log and try again',
      cause,
    })
  }
}

interface FailureEnvelope {
  readonly error: { readonly code: string; readonly message: string; readonly details?: unknown }
}

/** Returns whether a value is an error envelope, which ends a stream that failed after it started. */
function isFailureEnvelope(value: unknown): value is FailureEnvelope {
  if (typeof value !== 'object' || value === null || !('error' in value) || Object.keys(value).length !== 1)
    return false
  const { code, message } = (value.error ?? {}) as { code?: unknown; message?: unknown }
  return typeof code === 'string' && typeof message === 'string'
}

/** Converts an error response, or the error at the end of a stream, to a `Failure`. */
export function toCallFailure(text: string, response: Response | null): Failure {
  const requestId = response?.headers.get('x-request-id') ?? null
  const status = response?.status ?? null
  const { code, message, details } = parseEnvelope(text, status)
  return new Failure(`${code}${status === null ? '' : ` (${status})`}: ${message}`, {
    code: 'CALL_FAILED',
    lines: [...details.flatMap(toDetailLines), ...(requestId === null ? [] : [`request ${requestId}`])],
    fix: `for details, run sdk explain ${code}`,
    answer: { code, message, details, status, requestId },
  })
}

function parseEnvelope(text: string, status: number | null): { code: string; message: string; details: object[] } {
  try {
    const { error }: Partial<FailureEnvelope> = JSON.parse(text) as Partial<FailureEnvelope>
    if (error !== undefined)
      return {
        code: error.code,
        message: error.message,
        details: Array.isArray(error.details) ? (error.details as object[]) : [],
      }
  } catch {
    // The response is not from an SDK server. It may be a proxy's error page, for example.
  }
  return { code: `HTTP_${status}`, message: text.trim().split('\n', 1)[0]?.slice(0, 200) ?? '', details: [] }
}

function toDetailLines(detail: object): string[] {
  const { code, message, source, pointer, name, frame } = detail as Record<string, unknown>
  const place = [source, pointer ?? name].filter((part) => typeof part === 'string' && part !== '').join(' ')
  const first = `${place === '' ? '' : `${place}: `}${String(message)} (${String(code)})`
  return [first, ...(typeof frame === 'string' && frame !== '' ? frame.split('\n') : [])]
}

function errorReason(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  return cause instanceof Error ? cause.message || cause.name : String(cause)
}
