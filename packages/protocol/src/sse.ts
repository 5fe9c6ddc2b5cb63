import { assertLength, createCutter, toSplitter, type Cutter, type Splitter, type SplitterOptions } from './splitter.ts'

/** One server-sent event. */
export interface ServerSentEvent {
  /** The data lines, joined by line feeds. */
  data: string
  /** The event's type. @default 'message' */
  event: string
  /** The last `id` seen so far; a client sends it as `Last-Event-ID` when it comes back. */
  id: string
  /** The last `retry` seen so far: the wait before a reconnect, in ms. */
  retry?: number
}

/** A value as an event; `event`, `id` and `retry` as given. */
export function joinEvent(
  value: unknown,
  fields: { event?: string | undefined; id?: string | undefined; retry?: number | undefined } = {},
): string {
  const head = Object.entries(fields)
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => `${name}: ${oneLine(name, String(field))}\n`)
  // JSON text has no line break outside its strings, where they are escaped: one data line always does.
  return `${head.join('')}data: ${JSON.stringify(value) ?? 'null'}\n\n`
}

/** Splits a `text/event-stream` by the rules of the HTML standard: CR, LF and CRLF, comments, multi-line data, ids that stick. */
export function createEventSplitter(options: SplitterOptions = {}): Splitter<ServerSentEvent> {
  return toSplitter(createEventCutter(options))
}

/** Cuts a `text/event-stream` into its events: fields come line by line, an empty line ends the event. */
export function createEventCutter(options: SplitterOptions): Cutter<ServerSentEvent> {
  const cutLines = createCutter('\n', options)
  const toLineFeeds = createLineFeeds()
  // Those stay for the events that follow.
  const last: { id: string; retry?: number } = { id: '' }
  let data: string | null = null
  let event = ''

  // Even at the end: an event without its empty line is incomplete and is dropped, as the standard says.
  return (text, emit) => cutLines(toLineFeeds(text), (line) => (line === '' ? dispatch(emit) : take(line)), false)

  function dispatch(emit: (event: ServerSentEvent) => void): void {
    if (data !== null) emit({ data, event: event || 'message', ...last })
    data = null
    event = ''
  }

  function take(line: string): void {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'data') addData(value)
    else if (name === 'event') event = value
    else if (name === 'id' && !value.includes('\0')) last.id = value
    else if (name === 'retry' && /^\d+$/.test(value)) last.retry = Number(value)
  }

  function addData(line: string): void {
    data = data === null ? line : `${data}\n${line}`
    assertLength(data.length, options.maxLength)
  }
}

/** Turns CR and CRLF into LF, also a CRLF that was cut in two. */
function createLineFeeds(): (text: string) => string {
  let endedWithCR = false
  return (text) => {
    if (text === '') return ''
    const rest = endedWithCR && text.startsWith('\n') ? text.slice(1) : text
    endedWithCR = text.endsWith('\r')
    return rest.includes('\r') ? rest.replaceAll(/\r\n?/g, '\n') : rest
  }
}

function oneLine(name: string, text: string): string {
  if (/[\r\n\0]/.test(text))
    throw new TypeError(`${name} of a server-sent event must be one line, got ${JSON.stringify(text)}`)
  return text
}
