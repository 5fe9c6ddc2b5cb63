import type { Splitter } from './stream.ts'

/** One server-sent event. */
export interface ServerSentEvent {
  /** The data lines, joined by line feeds. */
  data: string
  /** The event's type. @default 'message' */
  event: string
  /** The last `id` seen so far; a client sends it as `Last-Event-ID` when it comes back. */
  id: string
  /** The wait before a reconnect in ms, where the event set one. */
  retry?: number
}

/** A value as an event; `event`, `id` and `retry` as given. */
export function joinEvent(value: unknown, fields: { event?: string; id?: string; retry?: number } = {}): string {
  const head = Object.entries(fields).map(([name, field]) => `${name}: ${oneLine(name, String(field))}\n`)
  // JSON text has no line break outside its strings, where they are escaped: one data line always does.
  return `${head.join('')}data: ${JSON.stringify(value) ?? 'null'}\n\n`
}

/** Splits a `text/event-stream` by the rules of the HTML standard: CR, LF and CRLF, comments, multi-line data, ids that stick. */
export function createEventSplitter(): Splitter<ServerSentEvent> {
  const lines = createLineSplitter()
  let data: string[] = []
  let event = ''
  let id = ''
  let retry: number | undefined

  return {
    push: (bytes) => lines.push(bytes).flatMap(take),
    // An event without its empty line is incomplete and is dropped, as the standard says.
    end: () => lines.end().flatMap(take),
  }

  function take(line: string): ServerSentEvent[] {
    if (line === '') return dispatch()
    const colon = line.indexOf(':')
    if (colon === 0) return []
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') data.push(value)
    else if (name === 'event') event = value
    else if (name === 'id' && !value.includes('\0')) id = value
    else if (name === 'retry' && /^\d+$/.test(value)) retry = Number(value)
    return []
  }

  function dispatch(): ServerSentEvent[] {
    const events =
      data.length === 0
        ? []
        : [{ data: data.join('\n'), event: event || 'message', id, ...(retry === undefined ? {} : { retry }) }]
    data = []
    event = ''
    retry = undefined
    return events
  }
}

/** Whole lines, ended by CR, LF or CRLF, in linear time. */
function createLineSplitter(): Splitter<string> {
  const decoder = new TextDecoder()
  const waiting: string[] = []
  let endedWithCR = false
  return { push: (bytes) => split(decoder.decode(bytes, { stream: true })), end: () => split(decoder.decode()) }

  function split(text: string): string[] {
    if (text === '') return []
    // The LF of a CRLF that was cut in two ends no second line.
    const fresh = endedWithCR && text.startsWith('\n') ? text.slice(1) : text
    endedWithCR = text.endsWith('\r')
    const pieces = fresh.split(/\r\n|\r|\n/)
    waiting.push(pieces[0] ?? '')
    if (pieces.length === 1) return []
    const last = pieces.pop() ?? ''
    pieces[0] = waiting.join('')
    waiting.length = 0
    waiting.push(last)
    return pieces
  }
}

function oneLine(name: string, text: string): string {
  if (/[\r\n\0]/.test(text))
    throw new TypeError(`${name} of a server-sent event must be one line, got ${JSON.stringify(text)}`)
  return text
}
