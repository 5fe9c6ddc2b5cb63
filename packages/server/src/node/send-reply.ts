import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { endChunks, isStream, openChunks, type Piece, type Reply, type ReplyStream } from '../http/call.ts'
import { sendText, type HeadWriter } from './head.ts'

/** Writes beyond this many characters leave at once, not with the end of the tick. */
const BATCH = 64 * 1024

/** Writes an answer to the wire; the promise, where there is one, settles when a stream has ended. */
export function sendReply(reply: Reply, response: ServerResponse, writeHead: HeadWriter): void | Promise<void> {
  const { status, body } = reply
  const { method } = response.req
  if (isStream(body)) {
    writeHead(response, reply)
    if (method !== 'HEAD') return sendStream(body, response).then((sent) => reply.ended?.(sent, response.writableEnded))
    response.end()
    void endChunks(openChunks(body), body)
    reply.ended?.(0, true)
  } else if (status === 204 || status === 304) {
    writeHead(response, reply)
    response.end()
    reply.ended?.(0, true)
  } else {
    const length = body === null ? 0 : Buffer.byteLength(body)
    const isOurs = writeHead(response, reply, length)
    // Text of as many bytes as characters is ASCII, which is written faster by that name.
    const encoding = length === body?.length ? 'latin1' : 'utf8'
    if (body === null || method === 'HEAD') response.end()
    else if (isOurs && typeof body === 'string') sendText(response, body, encoding)
    else response.end(body, encoding)
    reply.ended?.(method === 'HEAD' ? 0 : length, !response.destroyed)
  }
}

/**
 * Sends chunks as they come. Those that come within one tick leave in one write; a full buffer makes
 * the source wait; a caller who leaves ends the source, so its `finally` runs. Gives how many bytes were sent.
 */
async function sendStream(stream: ReplyStream, response: ServerResponse): Promise<number> {
  const source = openChunks(stream)
  if (response.destroyed) {
    await endChunks(source, stream)
    return 0
  }
  const batch = createBatch(response)
  const leave = (): void => void endChunks(source, stream)
  response.once('close', leave)
  try {
    for (;;) {
      const next = await source.next()
      if (next.done === true || response.destroyed) break
      const piece = stream.encode(next.value)
      if (!batch.add(piece instanceof Promise ? await piece : piece)) await drained(response)
    }
  } catch (thrown) {
    const last = stream.encodeError(thrown)
    if (last === null) response.destroy()
    else batch.add(last)
    leave()
  }
  if (!response.destroyed) {
    batch.flush()
    response.end()
  }
  return batch.size()
}

/** Waits until the caller has taken what was sent, or has left. */
async function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return
  const settled = new AbortController()
  const { signal } = settled
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })])
  } finally {
    settled.abort()
  }
}

interface Batch {
  /** False: the buffer is full, wait for it to drain. */
  add(piece: Piece): boolean
  flush(): boolean
  /** Bytes so far. */
  size(): number
}

function createBatch(response: ServerResponse): Batch {
  let waiting = ''
  let size = 0
  const flush = (): boolean => {
    if (waiting === '' || response.destroyed) return true
    const text = waiting
    waiting = ''
    size += Buffer.byteLength(text)
    return response.write(text)
  }
  return {
    flush,
    size: () => size,
    add(piece) {
      if (typeof piece !== 'string') {
        flush()
        size += piece.length
        return response.write(piece)
      }
      // Runs when every promise that can settle now has settled: all chunks of this tick are in.
      if (waiting === '') process.nextTick(flush)
      waiting += piece
      return waiting.length < BATCH ? !response.writableNeedDrain : flush()
    },
  }
}
