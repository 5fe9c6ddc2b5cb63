import { onTestFinished } from 'vitest'
import type { ClientConnection } from './accepted-client.ts'
import type { Peer } from '../define/peer.ts'
import type { ClientFrame, Position, ServerFrame } from '@sdk/protocol'
import { memoryEngine } from '../engine/memory-engine.ts'
import type { SessionProvider } from '../auth/session-provider.ts'
import type { Engine } from '../engine/engine.ts'
import type { Log } from '../log/log.ts'
import { createSocketHub, type SocketHub } from './hub.ts'
import type { SocketLimits } from './limits.ts'
import type { AnySocketDefinition } from '../define/socket.ts'
import type { Transport } from './transport.ts'

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** The expiry of all user sessions. */
export const EXPIRES_AT = '2099-01-01T00:00:00.000Z'

/** The client's end of a connection: the received texts, and properties that simulate network problems. */
export interface Line {
  readonly connection: ClientConnection
  readonly texts: string[]
  readonly closed: [number, string][]
  /** The simulated number of bytes that are buffered for the client. */
  buffered: number
  flushed: number
  received: number
  isPaused: boolean
  isTerminated: boolean
  frames(): ServerFrame[]
  send(...frames: ClientFrame[]): void
  /** Sends the hello frame and waits for the ok frame. */
  hello(resume?: {
    sid?: string
    rx?: number
    pos?: Record<string, Position>
  }): Promise<Extract<ServerFrame, { o: 'ok' }>>
}

/** Creates a hub with one socket and any number of clients. Its timers end with the test. */
export function createTestHub(
  socket: AnySocketDefinition,
  options: { limits?: SocketLimits; engine?: Engine; getActiveSessions?: SessionProvider['getActiveSessions'] } = {},
) {
  const { limits, engine = memoryEngine({ log: silent }), getActiveSessions } = options
  const hub = createSocketHub({ engine, log: silent, limits, getActiveSessions })
  // Not awaited, since a test may hold the engine.
  onTestFinished(() => void hub.close().catch(() => {}))
  return {
    hub,
    engine,
    raw: (user?: string) => connect(hub, socket, { isSdk: false, user }),
    /** A name such as `ada/2` means another session of the same user. */
    sdk: (user?: string) => connect(hub, socket, { isSdk: true, user }),
  }
}

/** Creates a client message. */
export function m(i: number, d: unknown = i, r?: 1): ClientFrame {
  return { o: 'm', i, d, ...(r && { r }) }
}

/** Returns the received frames of one kind. */
export function of<O extends ServerFrame['o']>(line: Line, o: O): Extract<ServerFrame, { o: O }>[] {
  return line.frames().filter((frame): frame is Extract<ServerFrame, { o: O }> => frame.o === o)
}

/** Returns the position of a client in the lobby, from the last frame that contains it. */
export function positionOf(line: Line): [string, number] {
  const last = line.frames().findLast((frame) => frame.o === 'at' || (frame.o === 'm' && frame.s !== undefined))
  if (last?.o === 'at') return [last.e, last.i]
  if (last?.o === 'm') return [last.e ?? '', last.i]
  throw new Error('no position received')
}

/** Returns the received messages. */
export function messages(line: Line): unknown[] {
  return of(line, 'm').map(({ d }) => d)
}

/** Creates a socket that records the messages that it handles, and calls `doing` for each. */
export function recorder(doing: (peer: Peer, message: never) => unknown = () => {}) {
  const handled: unknown[] = []
  const ids: string[] = []
  const socket: AnySocketDefinition = {
    async message(peer: Peer, message: never) {
      ids.push(`${peer.messageId}${peer.redelivered ? ' again' : ''}`)
      await doing(peer, message)
      handled.push(message)
    },
  }
  return { socket, handled, ids }
}

/** Waits until all work that does not depend on longer timers is done. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setTimeout(resolve, 5))
}

function connect(
  hub: SocketHub,
  socket: AnySocketDefinition,
  { isSdk, user }: { isSdk: boolean; user?: string | undefined },
): Line {
  const texts: string[] = []
  const closed: [number, string][] = []
  const state = { buffered: 0, flushed: 0, received: 0, isPaused: false, isTerminated: false }
  const send = (text: string): void => void (closed.length === 0 && texts.push(text))
  const transport: Transport = {
    send,
    sendShared: ({ text }) => send(text),
    get buffered() {
      return state.buffered
    },
    get flushed() {
      return state.flushed
    },
    get received() {
      return state.received
    },
    pause: () => void (state.isPaused = true),
    resume: () => void (state.isPaused = false),
    ping: () => void texts.push('(ping)'),
    close: (code, reason) => void closed.push([code, reason]),
    terminate: () => void (state.isTerminated = true),
  }
  const session = { id: user ?? '', userId: user?.split('/', 1)[0] ?? '', expiresAt: EXPIRES_AT }
  const auth =
    user === undefined ? null : { session, via: 'bearer' as const, getUser: () => Promise.reject(new Error()) }
  const connection = hub.connect({ socket, path: '/ws/test', auth, query: {}, isSdk, transport, log: silent })
  const frames = (): ServerFrame[] => texts.map((text) => JSON.parse(text) as ServerFrame)
  const sendFrames = (...all: ClientFrame[]): void => {
    for (const frame of all) connection.receive(JSON.stringify(frame))
  }
  return Object.assign(state, {
    connection,
    texts,
    closed,
    frames,
    send: sendFrames,
    async hello({ sid, rx = 0, pos = {} }: Parameters<Line['hello']>[0] = {}) {
      sendFrames({ o: 'hi', v: 1, sid: sid ?? null, rx, pos })
      const find = () => frames().find((frame) => frame.o === 'ok')
      for (let turn = 0; turn < 100 && find() === undefined && closed.length === 0; turn += 1) await settle()
      await settle()
      const ok = find()
      if (ok === undefined) throw new Error(`no ok, but ${JSON.stringify([texts, closed])}`)
      return ok
    },
  })
}
