// Sockets with misbehaving handlers. Nothing here catches their errors: the server must.
import { createApp, createRouter, createSocket, type Peer, serve } from '@sdk/server'

const SECRET = 'swordfish'
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))
const fail = (): never => {
  throw new Error(SECRET)
}
/** Throws a value that the type checker would not allow. */
const raise = (what: unknown): never => {
  throw what as Error
}
const circular = (): object => {
  const object: Record<string, unknown> = { name: 'circular' }
  object['self'] = object
  return object
}

/** The ways in which a handler can misbehave. */
const deeds = {
  throws: fail,
  'throws-null': () => raise(null),
  'throws-undefined': () => raise(undefined),
  'throws-hostile-proxy': () => raise(new Proxy(new Error(SECRET), { get: fail, getPrototypeOf: fail })),
  rejects: () => Promise.reject(new Error(SECRET)),
  'rejects-later': () => later().then(fail),
  // oxlint-disable-next-line unicorn/no-thenable -- that is the point
  'has-hostile-then': () => Object.defineProperty({}, 'then', { get: fail }),
  'sends-circular': (peer) => peer.send(circular()),
  'sends-bigint': (peer) => peer.send({ n: 1n }),
  'sends-nothing': (peer) => peer.send(undefined),
  'publishes-circular': (peer) => peer.publish('all', circular()),
} satisfies Record<string, (peer: Peer) => unknown>

/** Errors that the server cannot attribute to a handler, and must survive. */
const stray = {
  'floats-a-rejection': () => void later().then(fail),
  'throws-from-a-timer': () => void setTimeout(fail, 20),
} satisfies Record<string, (peer: Peer) => unknown>

/** The name of a misbehavior. */
export type Deed = keyof typeof deeds
/** The name of an error after the handler has returned. */
export type Stray = keyof typeof stray

const router = createRouter()
  .socket('/ws/echo', createSocket({ message: (peer, message) => peer.send(message) }))
  .socket('/ws/hangs', createSocket({ message: () => new Promise(() => {}) }))
for (const [name, deed] of Object.entries<(peer: Peer) => unknown>({ ...deeds, ...stray })) {
  router.socket(`/ws/open-${name}`, createSocket({ open: deed, message: (peer, message) => peer.send(message) }))
  router.socket(`/ws/message-${name}`, createSocket({ message: deed }))
  router.socket(`/ws/close-${name}`, createSocket({ close: deed, message: (peer, message) => peer.send(message) }))
}
const { url } = await serve(createApp({ router }), { port: 0 })
console.log(url)
