import { createCutter, toSplitter, type Cutter, type Splitter, type SplitterOptions } from './splitter.ts'

/** One server-sent event. */
export interface ServerSentEvent {
  /** The data lines, joined by line feeds. */
  data: string
  /** The event's type. @default 'message' */
  event: string
  /** The last `id` received so far; a client sends it as `Last-Event-ID` when it reconnects. */
  id: string
  /** The last `retry` received so far: the delay before a reconnect, in ms. */
  retry?: number
}

/** Encodes a value as an event, with the given `event`, `id` and `retry`. */
export function joinEvent(
  value: unknown,
  fields: { event?: string | undefined; id?: string | undefined; retry?: number | undefined } = {},
): string {
  const head = Object.entries(fields)
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => `${name}: ${oneLine(name, String(field))}\n`)
  // `JSON.stringify` escapes line breaks, so one data line is always enough.
  return `${head.join('')}data: ${JSON.stringify(value) ?? 'null'}\n\n`
}

/**
 * Creates a splitter for a `text/event-stream` that follows the HTML standard: it supports CR, LF and CRLF, comments,
 * multi-line data, and ids that also apply to later events.
 */
export function createEventSplitter(options: SplitterOptions = {}): Splitter<ServerSentEvent> {
  // Both values also apply to the following events.
  const last: { id: string; retry?: number } = { id: '' }
  return toSplitter(createEventCutter(options), (text) => {
    let event = ''
    for (const line of text.split('\n')) {
      event = valueIn(line, 'event') ?? event
      const id = valueIn(line, 'id') ?? '\0'
      if (!id.includes('\0')) last.id = id
      const retry = valueIn(line, 'retry') ?? ''
      if (/^\d+$/.test(retry)) last.retry = Number(retry)
    }
    const data = dataOf(text)
    return data === undefined ? undefined : { data, event: event || 'message', ...last }
  })
}

/** Creates a function that cuts a `text/event-stream` into its events, each of which ends with an empty line. */
export function createEventCutter(options: SplitterOptions): Cutter {
  const cut = createCutter('\n\n', options)
  const toLineFeeds = createLineFeeds()
  // `false` even at the end: the standard requires that an event without its empty line be dropped.
  return (text, emit) => cut(toLineFeeds(text), emit, false)
}

/** Returns the data lines of an event, joined by line feeds, or undefined if the event has no data. */
export function dataOf(text: string): string | undefined {
  // Most events are one line, which needs no list of lines.
  if (text.startsWith('data: ') && !text.includes('\n')) return text.slice(6)
  let data: string | undefined
  for (const line of text.split('\n')) {
    const value = valueIn(line, 'data')
    if (value !== undefined) data = data === undefined ? value : `${data}\n${value}`
  }
  return data
}

/** Returns the value of a field in a line, or undefined if the line contains a different field. */
function valueIn(line: string, field: string): string | undefined {
  if (line !== field && !line.startsWith(`${field}:`)) return undefined
  const start = field.length + 1
  return line.slice(line[start] === ' ' ? start + 1 : start)
}

/** Creates a function that converts CR and CRLF to LF, including a CRLF that is split across two chunks. */
function createLineFeeds(): (text: string) => string {
  let endedWithCR = false
  return (text) => {
    const rest = endedWithCR ? text.replace(/^\n/, '') : text
    if (text !== '') endedWithCR = text.endsWith('\r')
    return rest.includes('\r') ? rest.replaceAll(/\r\n?/g, '\n') : rest
  }
}

function oneLine(name: string, text: string): string {
  if (/[\r\n\0]/.test(text)) throw new TypeError(`${name} cannot contain CR, LF or NUL, got ${JSON.stringify(text)}`)
  return text
}
