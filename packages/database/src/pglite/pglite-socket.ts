import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { toTimeoutError } from '../statement-timeout.ts'
import type { PgliteEngine } from './pglite-engine.ts'

/** The messages AuthenticationOk and ReadyForQuery. PGlite has a single session, which does not have to be started. */
const STARTUP_REPLY = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')

/** The first bytes of messages from the driver. The startup message begins with its length, whose first byte is 0. */
const STARTUP = 0
const TERMINATE = 0x58

/** The maximum number of bytes per turn of the event loop. It is the same as for a network socket. */
const MAX_BYTES_PER_TICK = 64 * 1024

/** A socket for the pg driver that is connected to the engine instead of a server. */
export class PgliteSocket extends Duplex {
  readonly #open: () => Promise<PgliteEngine>
  #timeoutMs: number
  readonly #onLost = (): void => void this.destroy(this.#engine?.lost.reason as Error)
  #engine: PgliteEngine | null = null

  constructor(open: () => Promise<PgliteEngine>, timeoutMs: number) {
    super()
    this.#open = open
    this.#timeoutMs = timeoutMs
  }

  /** Sets the time after which `timeout` is emitted if a query receives no reply, as on a network socket. */
  setTimeout(ms: number): this {
    this.#timeoutMs = ms
    return this
  }

  connect(): this {
    this.#open().then(
      (engine) => {
        if (this.destroyed) return
        this.#engine = engine
        engine.lost.addEventListener('abort', this.#onLost)
        this.emit('connect')
      },
      (error: Error) => this.destroy(error),
    )
    return this
  }

  override _write(message: Buffer, _encoding: BufferEncoding, done: WriteCallback): void {
    this.#send([message]).then(() => done(), done)
  }

  /** Sends the messages of a query together, in one round trip instead of five. */
  override _writev(messages: { chunk: Buffer }[], done: WriteCallback): void {
    this.#send(messages.map(({ chunk }) => chunk)).then(() => done(), done)
  }

  override _read(): void {}

  override _final(done: WriteCallback): void {
    done()
    this.destroy()
  }

  override _destroy(error: Error | null, done: WriteCallback): void {
    this.#engine?.lost.removeEventListener('abort', this.#onLost)
    done(error)
  }

  async #send(messages: readonly Buffer[]): Promise<void> {
    if (messages[0]?.[0] === STARTUP) this.push(STARTUP_REPLY)
    const queries = messages.filter(([type]) => type !== STARTUP && type !== TERMINATE)
    if (this.#engine === null || queries.length === 0) return
    await this.#receive(await this.#exec(this.#engine, concat(queries)))
  }

  async #exec(engine: PgliteEngine, messages: Uint8Array<ArrayBuffer>): Promise<readonly Uint8Array[]> {
    const timer = setInterval(() => this.#onTimeout(engine), this.#timeoutMs).unref()
    return engine.exec(messages).finally(() => clearInterval(timer))
  }

  /**
   * Terminates the connection, and the engine if it does not reply, for example because the disk is full. The next
   * query opens a new engine.
   */
  #onTimeout(engine: PgliteEngine): void {
    // There are no listeners yet while the pool prepares the connection.
    if (!this.emit('timeout')) this.destroy(toTimeoutError(this.#timeoutMs))
    if (this.destroyed) void engine.terminate()
  }

  /** Pushes the reply in parts, since reading a hundred thousand rows in one turn would block the event loop. */
  async #receive(answer: readonly Uint8Array[]): Promise<void> {
    let size = 0
    for (const part of answer) {
      if (this.destroyed) return
      this.push(part)
      size += part.length
      if (size < MAX_BYTES_PER_TICK) continue
      size = 0
      await setImmediate()
    }
  }

  // The driver also calls these methods, which do nothing on this socket.
  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}
}

type WriteCallback = (error?: Error | null) => void

/** Copies messages into a new ArrayBuffer, which can be transferred. The memory of a Buffer may be shared. */
function concat(messages: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(messages.reduce((size, { length }) => size + length, 0))
  let end = 0
  for (const message of messages) {
    joined.set(message, end)
    end += message.length
  }
  return joined
}
