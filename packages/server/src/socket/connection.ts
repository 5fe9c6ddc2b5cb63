import {
  ApiError,
  CLOSE,
  decodeClientFrame,
  encodeFrame,
  invalidRequest,
  toEnvelope,
  validate,
  type ClientFrame,
  type ServerFrame,
} from '@sdk/protocol'
import { toApiError } from '../http/error-response.ts'
import { errorFields } from '../log/log.ts'
import { createPeer, type ConnectionParts } from './peer.ts'

/** A connection, as the door that carries it sees it. */
export interface Connection {
  /** A text frame came. */
  receive(text: string): void
  /** The wire is gone; settles when the close handler has run. */
  ended(): Promise<void>
}

/** How long a client of our protocol may take to say `hi`. */
const HELLO_TIMEOUT_MS = 5_000

/** Speaks with one client, and runs the socket's handlers in order, one at a time. */
export function createConnection(parts: ConnectionParts): Connection {
  const { socket, wire, log } = parts
  const { peer, leaveAll } = createPeer(parts)
  let work: Promise<unknown> = Promise.resolve()
  const speak = parts.isSdk ? speakSdk : speakRaw
  const language = speak({
    wire,
    id: peer.id,
    open: () => inOrder(open),
    handle: (message, done) => inOrder(async () => done(await handle(message))),
  })

  return {
    receive: language.receive,
    async ended() {
      language.ended()
      leaveAll()
      await inOrder(() => socket.close?.(peer))
    },
  }

  function inOrder(task: () => unknown): Promise<unknown> {
    work = work.then(task).catch((error: unknown) => log.error('a socket handler failed', errorFields(error)))
    return work
  }

  async function open(): Promise<void> {
    try {
      await socket.open?.(peer)
    } catch (error) {
      log.error('a socket could not be set up', errorFields(error))
      wire.close(CLOSE.setupFailed, 'setup failed')
    }
  }

  /** Runs the handler; what goes wrong is the error for the sender, never the end of the connection. */
  async function handle(message: unknown): Promise<ApiError | null> {
    try {
      const checked = socket.receive === undefined ? null : await validate(socket.receive, message)
      if (checked?.ok === false) throw invalidRequest(checked.details)
      await socket.message?.(peer, (checked === null ? message : checked.value) as never)
      return null
    } catch (thrown) {
      return toApiError(thrown, () => log)
    }
  }
}

/** What a language needs of its connection. */
interface Speaker {
  readonly wire: ConnectionParts['wire']
  readonly id: string
  open(): unknown
  handle(message: unknown, done: (error: ApiError | null) => void): unknown
}

interface Language {
  receive(text: string): void
  ended(): void
}

/** One JSON message a frame: any WebSocket client can. */
function speakRaw({ wire, open, handle }: Speaker): Language {
  const answer = (error: ApiError | null): void => {
    if (error !== null) wire.send(JSON.stringify(toEnvelope(error)))
  }
  open()
  return {
    receive(text) {
      const message = parse(text)
      if (message === undefined) answer(new ApiError('INVALID_REQUEST', 'a message is JSON'))
      else handle(message, answer)
    },
    ended: () => {},
  }
}

/** `sdk.v1`: numbered messages, acknowledged when their handler has finished. */
function speakSdk({ wire, id, open, handle }: Speaker): Language {
  let isOpen = false
  const hello = setTimeout(() => wire.close(CLOSE.timeout, 'no hi'), HELLO_TIMEOUT_MS)
  const tell = (frame: ServerFrame): void => wire.send(encodeFrame(frame))

  function welcome(): void {
    clearTimeout(hello)
    isOpen = true
    tell({ o: 'ok', sid: id, res: false, ack: 0, hb: 20_000, win: 256, max: 1_048_576, spread: 2_000 })
    open()
  }

  function take(frame: ClientFrame): void {
    if (frame.o === 'hi') welcome()
    else if (frame.o === 'p') tell({ o: 'q' })
    else if (frame.o === 'm') {
      const { i } = frame
      handle(frame.d, (error) => tell(error === null ? { o: 'a', i } : { o: 'e', i, error: toEnvelope(error).error }))
    }
  }

  return {
    receive(text) {
      const frame = decodeClientFrame(text)
      if (frame === null || isOpen === (frame.o === 'hi')) wire.close(CLOSE.badProtocol, 'bad frame')
      else take(frame)
    },
    ended: () => clearTimeout(hello),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no JSON text stands for undefined
  }
}
