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
  let both: AbortSignal | undefined
  let request: Request | undefined
  return {
    method,
    target,
    ip: outer.ip,
    isSecure: outer.isSecure,
    get rawHeaders() {
      return toRawHeaders(outer.rawHeaders, own)
    },
    header: (name) => own.get(name) ?? (OUTER_ONLY_HEADERS.test(name) ? null : outer.header(name)),
    text(limit) {
      if (Number.isFinite(limit) && new TextEncoder().encode(text).length > limit) throw bodyTooLarge(limit)
      return text
    },
    get signal() {
      return signal === undefined ? outer.signal : (both ??= AbortSignal.any([outer.signal, signal]))
    },
    get request() {
      return (request ??= toWebRequest(this, outer.header('host'), text))
    },
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
