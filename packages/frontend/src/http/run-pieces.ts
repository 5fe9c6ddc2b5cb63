import {
  createChunkSplitter,
  createEventSplitter,
  framingOf,
  parseResponseJson,
  parseRunPosition,
  RETRACT_EVENT,
  type RunPosition,
  type ServerSentEvent,
  type Splitter,
} from '@sdk/protocol'
import type { Clock } from '../clock.ts'
import { pageEvents } from '../page-events.ts'
import { readBytes } from './stream-reply.ts'

/** The position from which a stream continues. Chunks already received after this position are void. */
export class Retracted {
  readonly at: RunPosition | null

  constructor(at: RunPosition | null) {
    this.at = at
  }
}

/** The time in ms without any bytes after which a connection is considered lost. The server sends some every 5 s. */
export const MAX_SILENCE_MS = 20_000

/** Options for `readRunPieces`. */
export interface RunPiecesOptions {
  clock: Clock
  signal: AbortSignal
  /** Called when bytes arrive. */
  onBytes(): unknown
  /** Called when the run pauses or continues. */
  onChange(): unknown
  /** Called with the epoch of the next chunk, if it is known. */
  onEpoch(epoch: number): unknown
  /** Called at the end of the response if the run has ended. */
  onEnd(): unknown
}

/** Yields the chunks and retractions in a response that streams a run. */
export async function* readRunPieces(
  { headers, body }: Response,
  { clock, signal, onBytes, onChange, onEpoch, onEnd }: RunPiecesOptions,
): AsyncGenerator<Iterable<unknown>, void> {
  // The response has no body if the run has ended and has no more chunks.
  if (!body) {
    onEnd()
    return
  }
  const isSse = framingOf(headers.get('content-type')) === 'sse'
  const splitter = isSse ? createRunEventSplitter(onEpoch) : createChunkSplitter('ndjson')
  let ending = ''
  // If the network is lost, an open connection may never report an error.
  const cut = new AbortController()
  const stop = pageEvents((event) => event === 'offline' && cut.abort())
  const startTimer = (): (() => void) => clock.after(MAX_SILENCE_MS, () => cut.abort())
  let stopTimer = startTimer()
  try {
    const connected = body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal: cut.signal })
    for await (const bytes of readBytes(connected, signal)) {
      stopTimer()
      onBytes()
      const tail = String.fromCharCode(...bytes.slice(-6))
      // A line with a tab, or such a comment in an event stream. Parsers ignore both, and JSON does not contain tabs.
      if (/\t/.test(tail)) onChange()
      ending = (ending + tail).slice(-6)
      yield splitter.push(bytes)
      // Not earlier, since the caller may take any time to process the chunks.
      stopTimer = startTimer()
    }
  } finally {
    stopTimer()
    stop()
  }
  // Some proxies end a response properly even if they have lost the connection to the server, so the server marks the
  // end of a run with a line or a comment that parsers ignore.
  if (/( |:end\n)\n$/.test(ending)) onEnd()
}

function createRunEventSplitter(onEpoch: RunPiecesOptions['onEpoch']): Pick<Splitter<unknown>, 'push'> {
  const splitter = createEventSplitter()
  return { push: (bytes) => toRunPieces(splitter.push(bytes), onEpoch) }
}

function* toRunPieces(events: Iterable<ServerSentEvent>, onEpoch: RunPiecesOptions['onEpoch']): Iterable<unknown> {
  for (const { event, id, data } of events) {
    const at = parseRunPosition(id)
    if (at) onEpoch(at.epoch)
    yield event === RETRACT_EVENT ? new Retracted(at) : parseResponseJson(data, 'a stream event')
  }
}
