import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { isStream, type Reply, type ReplyStream } from '../call.ts'

/** Writes beyond this many characters leave at once, not with the end of the tick. */
const BATCH = 64 * 1024

/** Writes an answer to the wire. */
export async function sendReply(reply: Reply, response: ServerResponse, method: string): Promise<void> {
  const { status, headers, body } = reply
  if (isStream(body)) {
    response.writeHead(status, headers)
    if (method === 'HEAD') response.end()
    else await sendStream(body, response)
    return
  }
  const bytes = body === null ? undefined : typeof body === 'string' ? Buffer.from(body) : body
  if (status !== 204 && status !== 304) headers['content-length'] = String(bytes?.length ?? 0)
  response.writeHead(status, headers)
  response.end(method === 'HEAD' ? undefined : bytes)
}

/**
 * Sends pieces as they come. Those that come within one tick leave in one write; a full buffer makes
 * the source wait; a caller who leaves ends the source, so its `finally` runs.
 */
async function sendStream(stream: ReplyStream, response: ServerResponse): Promise<void> {
  const iterator = stream[Symbol.asyncIterator]()
  const gone = new Promise<null>((resolve) => response.once('close', () => resolve(null)))
  const batch = createBatch(response)
  response.flushHeaders()
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- pieces are in order
      const next = await Promise.race([iterator.next(), gone])
      if (next === null || next.done === true) break
      // oxlint-disable-next-line no-await-in-loop -- the caller's pace is ours
      if (!batch.add(next.value)) await Promise.race([once(response, 'drain'), gone])
    }
  } finally {
    if (!response.destroyed) {
      batch.flush()
      response.end()
    }
    // Not awaited: a source that waits for something else must not hold the answer.
    void iterator.return?.()
  }
}

interface Batch {
  /** False: the buffer is full, wait for it to drain. */
  add(piece: string | Uint8Array): boolean
  flush(): boolean
}

function createBatch(response: ServerResponse): Batch {
  let waiting = ''
  const flush = (): boolean => {
    if (waiting === '') return true
    const text = waiting
    waiting = ''
    return response.write(text)
  }
  return {
    flush,
    add(piece) {
      if (typeof piece !== 'string') return flush() && response.write(piece)
      // Runs when every promise that can settle now has settled: all pieces of this tick are in.
      if (waiting === '') process.nextTick(flush)
      waiting += piece
      return waiting.length < BATCH ? !response.writableNeedDrain : flush()
    },
  }
}
