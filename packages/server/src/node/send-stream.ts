import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isReplyStream, type Reply } from '../http/reply.ts'
import { endChunks, openChunks, type BodyChunk, type ReplyStream } from '../http/reply-stream.ts'
import { isClientGone, onClientGone } from './connections.ts'
import { sendChunk, type HeadWriter } from './response-head.ts'

/** The number of buffered characters at which text is flushed immediately instead of at the end of the tick. */
const BATCH_LENGTH = 64 * 1024

/** The number of bytes sent before yielding to the event loop, so that a source that never waits cannot block it. */
const FAIR_SHARE = 1024 * 1024

/**
 * Sends chunks as they arrive. Chunks from the same tick are sent in one write. A full buffer pauses the source. A
 * disconnect ends the source, so that its `finally` block runs. Returns the number of bytes sent.
 */
export async function sendStream(stream: ReplyStream, out: StreamOut): Promise<number> {
  const source = openChunks(stream)
  const { response } = out
  let turn = 0
  const leave = (): void => void endChunks(source, stream)
  if (isClientGone(response)) leave()
  else onClientGone(response, leave)
  try {
    while (!isClientGone(response)) {
      const next = await source.next()
      if (next.done === true) break
      const piece = stream.encode(next.value)
      if (!out.add(piece instanceof Promise ? await piece : piece)) await out.drained()
      if (out.size - turn > FAIR_SHARE) {
        await new Promise((resolve) => setImmediate(resolve))
        turn = out.size
      }
    }
  } catch (thrown) {
    const last = stream.encodeError(thrown)
    if (last === null) response.destroy()
    else out.add(last)
    leave()
  }
  out.end()
  return out.size
}

/** The output of a stream. It batches chunks from the same tick, and sends the head with the first batch. */
export class StreamOut {
  readonly response: ServerResponse
  /** The number of bytes sent so far. */
  size = 0
  readonly #reply: Reply
  readonly #writeHead: HeadWriter
  /** Whether `writeHead` built the head, in which case this class frames the body. Null until the head is written. */
  #isOurs: boolean | null = null
  #waiting = ''
  /** The first chunk, if it is binary. If it is also the last one, it is sent with a content length. */
  #first: Uint8Array | null = null
  #isScheduled = false

  constructor(response: ServerResponse, reply: Reply, writeHead: HeadWriter) {
    this.response = response
    this.#reply = reply
    this.#writeHead = writeHead
    // If a stream ends before this flush, it is sent as a single body with a content length.
    if (isReplyStream(reply.body) && reply.body.isResponse === true) this.#scheduleLater()
    else this.#schedule()
  }

  /** Adds a chunk. Returns false if the buffer is full: the caller must then wait for `drained`. */
  add(piece: BodyChunk): boolean {
    if (typeof piece !== 'string') {
      if (this.#canHold()) this.#first = piece
      else this.#addBytes(piece)
    } else {
      if (this.#first !== null) this.#flush()
      // The flush runs after all promise callbacks in this tick, so that it includes all their chunks.
      if (!this.#isScheduled) this.#schedule()
      this.#waiting += piece
      if (this.#waiting.length >= BATCH_LENGTH) this.#flush()
    }
    return !this.#needsDrain()
  }

  end(): void {
    const { response } = this
    if (isClientGone(response)) return
    const text = this.#waiting
    const whole = this.#first ?? text
    this.#waiting = ''
    if (this.#isOurs === null) this.#sendWhole(whole)
    else if (this.#isOurs) sendChunk(response, `${this.#frame(text)}0\r\n\r\n`, 'utf8')
    else this.size += Buffer.byteLength(text)
    response.end(this.#isOurs === true ? undefined : whole)
  }

  /** Waits until the buffer has drained, or the client has disconnected. */
  drained(): Promise<void> {
    const { response } = this
    const source = this.#target()
    return new Promise((resolve) => {
      const forget = onClientGone(response, () => done())
      const done = (): void => {
        source.off('drain', done)
        forget()
        resolve()
      }
      source.on('drain', done)
      // The buffer may have drained before the listeners were added.
      if (isClientGone(response) || !this.#needsDrain()) done()
    })
  }

  #target(): ServerResponse | Socket {
    return this.#isOurs === true && this.response.socket !== null ? this.response.socket : this.response
  }

  /**
   * Returns whether the caller must wait for `drained`. A closing connection accepts no writes, so the caller waits for
   * the disconnect.
   */
  #needsDrain(): boolean {
    const { response } = this
    const isOpen = response.socket === null || response.socket.writable
    return !isOpen || this.#target().writableNeedDrain || response.writableLength >= response.writableHighWaterMark
  }

  #schedule(): void {
    this.#isScheduled = true
    process.nextTick(this.#flush)
  }

  /** Schedules a later flush, because reading the complete body of a `Response` takes several microtasks. */
  #scheduleLater(): void {
    this.#isScheduled = true
    setImmediate(this.#flush)
  }

  #canHold(): boolean {
    return this.#isOurs === null && this.#isScheduled && this.#first === null && this.#waiting === ''
  }

  #addBytes(piece: Uint8Array): void {
    this.#flush()
    // An empty chunk would end a chunked body.
    if (piece.length > 0) this.#send(piece, piece.length)
  }

  #flush = (): void => {
    this.#isScheduled = false
    if (isClientGone(this.response) || this.response.writableEnded) return
    const first = this.#first
    this.#first = null
    if (first !== null && first.length > 0) this.#send(first, first.length)
    // A trailing high surrogate is kept until its low surrogate arrives.
    const last = this.#waiting.charCodeAt(this.#waiting.length - 1)
    const end = last >= 0xd800 && last <= 0xdbff ? -1 : undefined
    const text = this.#waiting.slice(0, end)
    this.#waiting = end === undefined ? '' : this.#waiting.slice(-1)
    if (text !== '') this.#send(text, Buffer.byteLength(text))
    else if (this.#isOurs === null) this.#begin()
  }

  /** Sends the head alone, so that the client receives it before the first chunk. */
  #begin(): void {
    this.#isOurs = this.#writeHead(this.response, this.#reply, 'chunked')
    if (this.#isOurs) sendChunk(this.response, '', 'latin1')
    else this.response.flushHeaders()
  }

  #send(piece: BodyChunk, length: number): void {
    this.#isOurs ??= this.#writeHead(this.response, this.#reply, 'chunked')
    if (!this.#isOurs) {
      this.size += length
      this.response.write(piece)
    } else if (typeof piece === 'string') {
      sendChunk(this.response, this.#frame(piece), length === piece.length ? 'latin1' : 'utf8')
    } else {
      this.size += length
      sendChunk(this.response, Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`), piece, CRLF]))
    }
  }

  /** Sends a body that was complete before the first flush. */
  #sendWhole(body: BodyChunk): void {
    this.size = Buffer.byteLength(body)
    this.#isOurs = this.#writeHead(this.response, this.#reply, this.size)
    if (this.#isOurs) sendChunk(this.response, body, this.size === body.length ? 'latin1' : 'utf8')
  }

  /** Frames text for `Transfer-Encoding: chunked`. */
  #frame(text: string): string {
    const length = Buffer.byteLength(text)
    this.size += length
    return length === 0 ? '' : `${length.toString(16)}\r\n${text}\r\n`
  }
}

const CRLF = Buffer.from('\r\n')
