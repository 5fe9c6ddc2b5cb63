import {
  formatRunPosition,
  joinEvent,
  joinLine,
  RETRACT_EVENT,
  RUN_ID_HEADER,
  RUN_POSITION_HEADER,
  toEnvelope,
  type Run,
  type RunPosition,
} from '@sdk/protocol'
import { MEDIA_TYPE } from '../http/media-type.ts'
import type { Reply } from '../http/reply.ts'
import { errorOf, toRunError } from './run-error.ts'
import { followRun, StreamCut, type RunEvent, type RunSource } from './follow-run.ts'
import type { StoredRun } from './store/run-store.ts'

/**
 * The end of a stream whose run has ended, which parsers ignore. A stream without it was interrupted, even if a proxy
 * ends the response properly.
 */
const END_MARK = { ndjson: ' \n', sse: ':end\n\n' } as const

/** The sign that a run pauses or continues, which parsers ignore. The client then requests the state of the run. */
const CHANGE_MARK = { ndjson: '\t\n', sse: ':\t\n\n' } as const

/** Converts a stored run to its wire format. */
export function toRun(run: StoredRun): Run {
  const { id, status, isStream, epoch, input, output, waiting, createdAt, endedAt } = run
  return {
    id,
    status,
    waiting: waiting === null ? null : (JSON.parse(waiting) as Run['waiting']),
    stream: isStream,
    attempt: epoch,
    input: input === null ? null : (JSON.parse(input) as unknown),
    output: output === null ? null : (JSON.parse(output) as unknown),
    error: toRunError(run),
    createdAt,
    endedAt,
  }
}

/** Options for `toStreamReply`. */
export interface StreamStart {
  readonly id: string
  /** The position of the first chunk in the response. */
  readonly position: RunPosition
  /** Whether chunks sent to the client were retracted. Sent as an event, since `EventSource` cannot read headers. */
  readonly isRetracted: boolean
  readonly isSse: boolean
}

/** Creates a reply that streams a run from a position. */
export function toStreamReply(source: RunSource, { id, position, isRetracted, isSse }: StreamStart): Reply {
  const encode = isSse ? toEvents : toLines
  const first = { kind: isRetracted && isSse ? ('retracted' as const) : ('opened' as const), position }
  return {
    status: 200,
    headers: {
      'content-type': isSse ? MEDIA_TYPE.sse : MEDIA_TYPE.ndjson,
      'x-accel-buffering': 'no',
      [RUN_ID_HEADER]: id,
      [RUN_POSITION_HEADER]: formatRunPosition(position),
    },
    body: {
      chunks: openRun(first, followRun(source, id, position)),
      encode: (event) => encode(event as RunEvent),
      // Errors cut the connection, so that the client knows that the stream is incomplete.
      encodeError: () => null,
    },
  }
}

async function* openRun(first: RunEvent, rest: AsyncGenerator<RunEvent>): AsyncGenerator<RunEvent> {
  yield first
  yield* rest
}

function toLines(event: RunEvent): string {
  if (event.kind === 'chunks') return `${event.chunks.join('\n')}\n`
  // Lines cannot contain a position. The client gets the new one from the next response.
  if (event.kind === 'retracted' || event.kind === 'moved') throw new StreamCut('the run has a new epoch')
  if (event.kind === 'ended') return toEnd(event.run, joinLine, END_MARK.ndjson)
  if (event.kind === 'changed') return CHANGE_MARK.ndjson
  return event.kind === 'idle' ? '\n' : ''
}

function toEvents(event: RunEvent): string {
  if (event.kind === 'idle') return ':\n\n'
  if (event.kind === 'changed') return CHANGE_MARK.sse
  if (event.kind === 'ended') return toEnd(event.run, joinEvent, END_MARK.sse)
  const id = formatRunPosition(event.position)
  // Without an id, `EventSource` would keep reconnecting to a run that has ended without chunks.
  if (event.kind === 'opened' || event.kind === 'moved') return `id: ${id}\n\n`
  const { epoch, index } = event.position
  if (event.kind === 'retracted') return joinEvent({ keep: index }, { event: RETRACT_EVENT, id })
  const first = index - event.chunks.length + 1
  return event.chunks.map((chunk, at) => `id: ${epoch}.${first + at}\ndata: ${chunk}\n\n`).join('')
}

function toEnd(run: StoredRun, join: (value: unknown) => string, mark: string): string {
  const error = errorOf(run)
  return `${error === null ? '' : join(toEnvelope(error))}${run.endedAt === null ? '' : mark}`
}
