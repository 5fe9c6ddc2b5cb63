import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Engine } from './pglite-engine.ts'

/** AuthenticationOk and ReadyForQuery: PGlite has one session, which nobody needs to start. */
const WELCOME = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')

/** First bytes of messages from the driver; the one that starts a session begins with its length. */
const STARTUP = 0
const TERMINATE = 0x58

/** As many bytes as a socket of the network gives in one turn of the event loop. */
const TURN = 64 * 1024

/** What the pg driver takes for a socket to a server: a way to the engine and back. */
export class PgliteSocket extends Duplex {
  readonly #open: () => Promise<Engine>
  readonly #onLost = (): void => void this.destroy(this.#engine?.lost.reason as Error)
  #engine: Engine | null = null

  constructor(open: () => Promise<Engine>) {
    super()
    this.#open = open
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

  override _write(message: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#send([message]).then(() => done(), done)
  }

  /** The messages of one query come together, and take one way instead of five. */
  override _writev(messages: { chunk: Buffer }[], done: Done): void {
    this.#send(messages.map(({ chunk }) => chunk)).then(() => done(), done)
  }

  override _read(): void {}

  override _final(done: Done): void {
    done()
    this.destroy()
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#engine?.lost.removeEventListener('abort', this.#onLost)
    done(error)
  }

  async #send(messages: readonly Buffer[]): Promise<void> {
    if (messages[0]?.[0] === STARTUP) this.push(WELCOME)
    const queries = messages.filter(([type]) => type !== STARTUP && type !== TERMINATE)
    if (this.#engine === null || queries.length === 0) return
    await this.#receive(await this.#engine.exec(join(queries)))
  }

  /** With breaks, because reading a hundred thousand rows at once would hold up the event loop after all. */
  async #receive(answer: readonly Uint8Array[]): Promise<void> {
    let size = 0
    for (const part of answer) {
      if (this.destroyed) return
      this.push(part)
      size += part.length
      if (size < TURN) continue
      size = 0
      await setImmediate()
    }
  }

  // What else the driver asks of a socket means nothing here.
  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}
}

type Done = (error?: Error | null) => void

/** Into memory of its own, which can be given away; that of a Buffer is shared with others. */
function join(messages: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(messages.reduce((size, { length }) => size + length, 0))
  let end = 0
  for (const message of messages) {
    joined.set(message, end)
    end += message.length
  }
  return joined
}
