import { ApiError, createApp, createRouter, createSocket, serve, type Log, type Server } from '@sdk/server'
import { z } from 'zod'

/** A server for clients that were written only from docs/reference/wire.md. */
export interface WireServer {
  readonly server: Server
  /** The handled texts, in order. */
  readonly handled: string[]
  /** Sends a message to all clients in the lobby. */
  publish(text: string): Promise<void>
}

/** The maximum number of messages stored for a disconnected client. */
export const REPLAY_MESSAGES = 4

const Message = z.discriminatedUnion('do', [
  z.object({ do: z.literal('echo'), text: z.string().max(1000) }),
  z.object({ do: z.literal('fail') }),
  z.object({ do: z.literal('on-close'), messages: z.int().min(1).max(100) }),
])

/** Starts the server: clients are in the room `lobby`, and their messages are echoed. */
export async function startWireServer(): Promise<WireServer> {
  const handled: string[] = []
  let onClose = 0
  const talk = createSocket({
    receive: Message,
    open: (peer) => peer.join('lobby'),
    message(peer, message) {
      if (message.do === 'fail') throw new ApiError('CONFLICT', 'it is taken')
      if (message.do === 'on-close') onClose = message.messages
      else {
        handled.push(message.text)
        peer.send({ echo: message.text })
      }
    },
    close(peer) {
      for (let n = 1; n <= onClose; n++) peer.send({ missed: n })
      onClose = 0
    },
  })
  const quiet = (): void => {}
  const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
  const router = createRouter().socket('/ws/talk', talk)
  const app = createApp({ router, log, limits: { socket: { replayMessages: REPLAY_MESSAGES } } })
  const server = await serve(app, { port: 0 })
  return { server, handled, publish: (text) => app.publish('lobby', { said: text }) }
}
