import { OutgoingMessage } from 'node:http'
import { Server, Socket } from 'node:net'

/**
 * Disables the undocumented members of Node that `server/node/node-internals` probes. They exist but do not work, as in
 * Bun: a head that is set is not sent, and bytes are not counted. Node itself works as before.
 */
const HEADER = Symbol('head')
/** Marks a process in which they are disabled: test files share a process, and each loads this file. */
const DISABLED = Symbol.for('sdk.test.without-internals')
let isStoring = false

interface Message {
  [HEADER]?: string | null
  _storeHeader(...args: unknown[]): unknown
}

if (!(DISABLED in globalThis)) {
  Object.assign(globalThis, { [DISABLED]: true })
  disableHead()
  disableCounters()
}

/** Ignores heads that are set, except by Node itself. */
function disableHead(): void {
  const message = OutgoingMessage.prototype as unknown as Message
  const storeHeader = message._storeHeader
  message._storeHeader = function (this: Message, ...args: unknown[]): unknown {
    isStoring = true
    try {
      return storeHeader.apply(this, args)
    } finally {
      isStoring = false
    }
  }
  Object.defineProperty(message, '_header', {
    configurable: true,
    get(this: Message) {
      return this[HEADER] ?? null
    },
    set(this: Message, head: string | null) {
      if (isStoring || head === null) this[HEADER] = head
    },
  })
}

/** Hides the byte counters of accepted sockets. */
function disableCounters(): void {
  const emit = Server.prototype.emit
  Server.prototype.emit = function (this: Server, event: string | symbol, ...args: unknown[]): boolean {
    const [socket] = args
    if (event === 'connection' && socket instanceof Socket) hideCounter(socket)
    return Reflect.apply(emit, this, [event, ...args]) as boolean
  }
}

/** Shadows the members of the prototype, which cannot be replaced; `bytesWritten` is computed from the hidden one. */
function hideCounter(socket: Socket): void {
  let isCounting = false
  const read = (name: string): unknown => Reflect.get(Socket.prototype, name, socket)
  Object.defineProperty(socket, '_bytesDispatched', { get: () => (isCounting ? read('_bytesDispatched') : 0) })
  Object.defineProperty(socket, 'bytesWritten', {
    get() {
      isCounting = true
      const written = read('bytesWritten')
      isCounting = false
      return written
    },
  })
}
