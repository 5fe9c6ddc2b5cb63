import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log, LogFields } from '@sdk/server'
import { wrapLog, toLogText } from '@sdk/server/node'
import type { LogLine, WorkbenchEvents } from '../api.ts'
import { createRedactor } from '../recorder/redact.ts'

/** The maximum number of events stored for pages that reconnect. */
const MAX_EVENTS = 500
const MAX_LOG_LINES = 200
const MAX_LINE = 8_192

/**
 * The maximum length of a message to redact. It exceeds `MAX_LINE`, so that a secret is found even if it is cut off
 * there.
 */
const MAX_REDACTED = 2 * MAX_LINE

const HEARTBEAT_MS = 15_000

/**
 * The number of unread bytes at which a slow page is disconnected. The page then reconnects and receives the events
 * that it missed.
 */
const MAX_UNREAD = 1_000_000

/** The maximum length of the events that a page receives when it connects. In bytes, they must fit in `MAX_UNREAD`. */
const MAX_MISSED = 300_000

/** Redacts log lines in the same way as recordings, since the user may be sharing their screen. */
const { text: hidden } = createRedactor()

/** A hub that sends events to the workbench pages. */
export interface EventHub {
  emit<Name extends keyof WorkbenchEvents>(name: Name, event: WorkbenchEvents[Name]): void
  /** Sends the events that the client missed, followed by all further events. */
  stream(request: IncomingMessage, response: ServerResponse): void
  /** Ends all streams. */
  close(): void
}

type SentEvent = { readonly id: number; readonly text: string }

/** Creates the event hub for one server process. */
export function createEventHub(): EventHub {
  // Ids are based on the clock, so they increase across restarts. A page opened before a restart reloads everything.
  const first = Date.now() * 1000
  let last = first
  const sent: SentEvent[] = []
  const lines: SentEvent[] = []
  const readers = new Set<ServerResponse>()
  const heartbeat = setInterval(() => broadcast(':\n\n'), HEARTBEAT_MS).unref()

  function emit<Name extends keyof WorkbenchEvents>(name: Name, event: WorkbenchEvents[Name]): void {
    const one = { id: ++last, text: `id: ${last}\nevent: ${name}\ndata: ${JSON.stringify(event)}\n\n` }
    keepLast(sent, one, MAX_EVENTS)
    if (name === 'log') keepLast(lines, one, MAX_LOG_LINES)
    broadcast(one.text)
  }

  function broadcast(text: string): void {
    for (const reader of readers) writeEvent(reader, text)
  }

  /** Returns the events that a client missed since it received the event with the id `seen`. */
  function missedSince(seen: number): string {
    const oldest = sent[0]?.id ?? last + 1
    const isKnown = seen >= Math.max(first, oldest - 1) && seen <= last
    const missed = isKnown ? eventsSince(sent, seen) : null
    if (missed !== null && toNewest(missed).length === missed.length) return joinEvents(missed)
    const hints = seen === 0 ? '' : 'event: manifest\ndata: {"revision":0}\n\nevent: cleared\ndata: {}\n\n'
    return `${joinEvents(toNewest(eventsSince(lines, seen)))}id: ${last}\n${hints === '' ? '\n' : hints}`
  }

  return {
    emit,
    stream(request, response) {
      const seen = Number(request.headers['last-event-id'] ?? 0)
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
      response.on('close', () => readers.delete(response))
      readers.add(response)
      writeEvent(response, `retry: 1000\n\n${missedSince(Number.isSafeInteger(seen) ? seen : 1)}`)
    },
    close() {
      clearInterval(heartbeat)
      for (const reader of readers) reader.end()
      readers.clear() // the app can still log while it is closing
    },
  }
}

/** Wraps a log, so that its lines are also sent to the workbench pages. */
export function teeLog(log: Log, events: EventHub): Log {
  const at =
    (level: LogLine['level']): Log['info'] =>
    (message, fields) => {
      events.emit('log', toLogEvent(level, message, fields))
      log[level](message, fields)
    }
  return wrapLog(log, { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') })
}

function toLogEvent(level: LogLine['level'], message: unknown, fields: LogFields | undefined): LogLine {
  // Plain JavaScript code can pass a message that is not a string.
  const text = typeof message === 'string' ? message : toLogText(message)
  return {
    time: Date.now(),
    level,
    message: toLine(text),
    ...toLogFields(fields),
  }
}

function toLogFields(fields: LogFields = {}): Pick<LogLine, 'fields' | 'requestId'> {
  try {
    const { requestId, ...others } = fields
    return {
      fields: Object.keys(others).length === 0 ? null : toLine(toLogText(others)),
      requestId: typeof requestId === 'string' ? requestId : null,
    }
  } catch {
    return { fields: toLine(toLogText(fields)), requestId: null } // a getter threw, and a log must never throw
  }
}

function toLine(text: string): string {
  return hidden(text.slice(0, MAX_REDACTED)).slice(0, MAX_LINE)
}

function writeEvent(reader: ServerResponse, text: string): void {
  reader.write(text)
  if (reader.writableLength > MAX_UNREAD) reader.destroy()
}

function eventsSince(all: readonly SentEvent[], seen: number): readonly SentEvent[] {
  return all.filter(({ id }) => id > seen)
}

/** Returns the newest events that a page can receive at once. */
function toNewest(all: readonly SentEvent[]): readonly SentEvent[] {
  let size = 0
  const surplus = all.findLastIndex(({ text }) => (size += text.length) > MAX_MISSED)
  return all.slice(surplus + 1)
}

function joinEvents(all: readonly SentEvent[]): string {
  return all.map(({ text }) => text).join('')
}

function keepLast(kept: SentEvent[], one: SentEvent, max: number): void {
  kept.push(one)
  if (kept.length > max) kept.shift()
}
