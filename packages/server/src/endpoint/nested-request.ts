import { bodyTooLarge } from '../http/http-error.ts'
import type { ServerRequest } from '../http/server-request.ts'

/** A request within a request. */
export interface NestedRequest {
  readonly method: string
  /** The path and query, as in a request target. */
  readonly target: string
  /** The payload, which is sent as JSON. */
  readonly input?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
}

/** Headers that apply only to the outer request and its body. */
const OUTER_ONLY_HEADERS =
  /^(?:accept|idempotency-key|if-.*|content-.*|transfer-encoding|connection|upgrade|expect|range|prefer|run-thread|sec-websocket-.*)$/i

/** Creates a nested request, with the outer request's caller and a separate body. */
export function toNestedRequest(
  outer: ServerRequest,
  { method, target, input, headers = {}, signal }: NestedRequest,
): ServerRequest {
  const text = input === undefined ? '' : JSON.stringify(input)
  if (text === undefined) throw new TypeError(`a payload must be JSON data, got ${typeof input}`)
  const own = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  if (text !== '' && !own.has('content-type')) own.set('content-type', 'application/json')
  return new InnerRequest(outer, { method, target, text, own, signal })
}

interface InnerMessage extends Pick<NestedRequest, 'method' | 'target' | 'signal'> {
  readonly text: string
  /** The headers of the nested request itself. */
  readonly own: ReadonlyMap<string, string>
}

/** A nested request. Its signal and `Request` are created on first access. */
class InnerRequest implements ServerRequest {
  readonly method: string
  readonly target: string
  readonly ip: string
  readonly isSecure: boolean
  readonly #outer: ServerRequest
  readonly #message: InnerMessage
  #signal: AbortSignal | undefined
  #request: Request | undefined

  constructor(outer: ServerRequest, message: InnerMessage) {
    this.method = message.method
    this.target = message.target
    this.ip = outer.ip
    this.isSecure = outer.isSecure
    this.#outer = outer
    this.#message = message
  }

  get rawHeaders(): string[] {
    return toRawHeaders(this.#outer.rawHeaders, this.#message.own)
  }

  header(name: string): string | null {
    return this.#message.own.get(name) ?? (OUTER_ONLY_HEADERS.test(name) ? null : this.#outer.header(name))
  }

  text(limit: number): string {
    const { text } = this.#message
    // A character has at most three bytes.
    if (text.length * 3 > limit && new TextEncoder().encode(text).length > limit) throw bodyTooLarge(limit)
    return text
  }

  get signal(): AbortSignal {
    const { signal } = this.#message
    return (this.#signal ??= signal === undefined ? this.#outer.signal : AbortSignal.any([this.#outer.signal, signal]))
  }

  get request(): Request {
    return (this.#request ??= toWebRequest(this, this.#outer.header('host'), this.#message.text))
  }
}

function toRawHeaders(outer: readonly string[], own: ReadonlyMap<string, string>): string[] {
  const kept = outer.filter((_, at) => {
    const name = outer[at - (at % 2)] ?? ''
    return !OUTER_ONLY_HEADERS.test(name) && !own.has(name.toLowerCase())
  })
  return [...kept, ...[...own].flat()]
}

function toWebRequest(
  { method, target, isSecure, rawHeaders, signal }: ServerRequest,
  host: string | null,
  text: string,
): Request {
  const headers = new Headers()
  rawHeaders.forEach((name, at) => at % 2 === 0 && headers.append(name, rawHeaders[at + 1] ?? ''))
  const url = new URL(target, `${isSecure ? 'https' : 'http'}://${host ?? 'localhost'}`)
  return new Request(url, { method, headers, signal, ...(text !== '' && { body: text }) })
}
