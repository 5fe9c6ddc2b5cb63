import { connect, type Socket } from 'node:net'

/** A text frame, as a range of the received bytes: it is not copied. */
export interface TextFrame {
  bytes: Buffer
  from: number
  to: number
}

/** Options for `openSocket`. */
export interface SocketTarget {
  readonly port: number
  readonly path: string
  /** The offered subprotocol. @default none */
  readonly protocol?: string
  /** Called for every text frame. The object is reused after the callback returns. */
  readonly onText: (frame: TextFrame) => void
}

/** A minimal WebSocket client, so that the measurement is dominated by the server. */
export interface SocketClient {
  /** Sends a message. Messages of one event loop turn are sent in one write. */
  send(text: string): void
  close(): void
}

const OPCODE = { text: 1, close: 8, ping: 9, pong: 10 } as const
const MASK = Buffer.from([0x37, 0xfa, 0x21, 0x3d])
const HEAD_END = Buffer.from('\r\n\r\n')
const NOTHING = Buffer.alloc(0)
/** All connections read into one shared buffer: after the callback, only a partial frame may be kept. */
const READ = Buffer.allocUnsafe(65_536)

/** Opens a connection. Resolves when the server has switched protocols. */
export function openSocket(target: SocketTarget): Promise<SocketClient> {
  return new Promise((resolve, reject) => new BareSocket(target, { resolve, reject }))
}

interface Settle {
  resolve(client: SocketClient): void
  reject(error: Error): void
}

class BareSocket implements SocketClient {
  readonly #onText: SocketTarget['onText']
  readonly #settle: Settle
  readonly #socket: Socket
  readonly #frame: TextFrame = { bytes: NOTHING, from: 0, to: 0 }
  #rest: Buffer = NOTHING
  #waiting: Buffer[] = []
  #isOpen = false
  #isClosed = false

  constructor({ port, path, protocol, onText }: SocketTarget, settle: Settle) {
    this.#onText = onText
    this.#settle = settle
    const onread = { buffer: READ, callback: (length: number) => this.#read(length) }
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread }, () =>
      this.#socket.write(toUpgrade(path, protocol)),
    )
    this.#socket
      .on('error', (error) => this.#fail(error))
      .on('close', () => this.#fail(new Error('the server closed a connection')))
  }

  send(text: string): void {
    this.#write(toFrame(OPCODE.text, Buffer.from(text)))
  }

  close(): void {
    this.#isClosed = true
    this.#socket.destroy()
  }

  #fail(error: Error): void {
    if (this.#isClosed) return
    if (this.#isOpen) throw error // fails the whole run: figures with fewer clients are useless
    this.#settle.reject(error)
  }

  #write(bytes: Buffer): void {
    if (this.#waiting.push(bytes) === 1) queueMicrotask(() => this.#flush())
  }

  #flush(): void {
    const [first = NOTHING] = this.#waiting
    if (!this.#isClosed) this.#socket.write(this.#waiting.length === 1 ? first : Buffer.concat(this.#waiting))
    this.#waiting = []
  }

  #read(length: number): boolean {
    const came = READ.subarray(0, length)
    const bytes = this.#rest.length === 0 ? came : Buffer.concat([this.#rest, came])
    const end = this.#isOpen ? this.#readFrames(bytes, 0) : this.#readHead(bytes)
    this.#rest = end === bytes.length ? NOTHING : Buffer.from(bytes.subarray(end))
    return true
  }

  #readHead(bytes: Buffer): number {
    const end = bytes.indexOf(HEAD_END)
    if (end === -1) return 0
    const line = bytes.toString('latin1', 0, bytes.indexOf('\r\n'))
    if (!line.startsWith('HTTP/1.1 101')) this.#fail(new Error(`the server answered ${line}`))
    this.#isOpen = true
    this.#settle.resolve(this)
    return this.#readFrames(bytes, end + HEAD_END.length)
  }

  #readFrames(bytes: Buffer, start: number): number {
    let at = start
    while (bytes.length - at >= 2) {
      const short = (bytes[at + 1] ?? 0) & 0x7f
      if (short === 127) throw new Error('frames of more than 64 KiB are not supported')
      const head = short === 126 ? 4 : 2
      if (bytes.length - at < head) break
      const end = at + head + (short === 126 ? bytes.readUInt16BE(at + 2) : short)
      if (end > bytes.length) break
      this.#take((bytes[at] ?? 0) & 0x0f, Object.assign(this.#frame, { bytes, from: at + head, to: end }))
      at = end
    }
    return at
  }

  #take(opcode: number, frame: TextFrame): void {
    if (opcode === OPCODE.text) {
      this.#onText(frame)
    } else if (opcode === OPCODE.ping) {
      this.#write(toFrame(OPCODE.pong, frame.bytes.subarray(frame.from, frame.to)))
    } else if (opcode === OPCODE.close && !this.#isClosed) {
      const code = frame.to - frame.from < 2 ? 1005 : frame.bytes.readUInt16BE(frame.from)
      throw new Error(`the server closed with ${code} ${frame.bytes.toString('utf8', frame.from + 2, frame.to)}`)
    }
  }
}

function toUpgrade(path: string, protocol: string | undefined): string {
  const offer = protocol === undefined ? '' : `Sec-WebSocket-Protocol: ${protocol}\r\n`
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${offer}\r\n`
}

/** Returns a masked frame, as clients must send it; the mask is constant. */
function toFrame(opcode: number, payload: Buffer): Buffer {
  const isShort = payload.length < 126
  const start = isShort ? 6 : 8
  const bytes = Buffer.allocUnsafe(start + payload.length)
  bytes[0] = 0x80 | opcode
  bytes[1] = 0x80 | (isShort ? payload.length : 126)
  if (!isShort) bytes.writeUInt16BE(payload.length, 2)
  MASK.copy(bytes, start - 4)
  for (let i = 0; i < payload.length; i++) bytes[start + i] = (payload[i] ?? 0) ^ (MASK[i & 3] ?? 0)
  return bytes
}
