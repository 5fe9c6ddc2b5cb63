import { createChunkSplitter, framingOf, fromEnvelope, fromRetryAfter } from '@sdk/protocol'
import type { RequestContext } from '../context/context.ts'
import { toApiError } from '../http/error-response.ts'
import { isReplyStream, type Reply } from '../http/reply.ts'
import type { ReplyStream } from '../http/reply-stream.ts'

/**
 * Returns the result in a reply, as a client reads it: parsed JSON, chunks, null for an empty body, text, or a `Blob` for
 * anything else. Throws the error of a failed reply.
 */
export async function readReply(reply: Reply, ctx: RequestContext): Promise<unknown> {
  const { status, body, error } = reply
  if (error !== undefined) throw error
  if (status >= 400) throw await toReplyError(reply)
  const type = String(reply.headers['content-type'] ?? '')
  const framing = framingOf(type)
  if (isReplyStream(body) && (framing === 'ndjson' || framing === 'sse'))
    return readChunks(body, createChunkSplitter(framing), ctx)
  const json = jsonOf(reply)
  if (json !== undefined) return JSON.parse(json) as unknown
  const blob = await toBlob(body, type)
  if (blob.size === 0) return null
  if (JSON_TYPE.test(type)) return JSON.parse(await blob.text()) as unknown
  return type.startsWith('text/') ? blob.text() : blob
}

/** Returns the JSON of a reply, or undefined if its body is something else or has not been received yet. */
export function jsonOf({ headers, body }: Reply): string | undefined {
  return typeof body === 'string' && JSON_TYPE.test(String(headers['content-type'] ?? '')) ? body : undefined
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i

async function* readChunks(
  { chunks, encode }: ReplyStream,
  splitter: ReturnType<typeof createChunkSplitter>,
  ctx: RequestContext,
): AsyncGenerator {
  const encoder = new TextEncoder()
  try {
    for await (const chunk of chunks) {
      const bytes = await encode(chunk)
      yield* splitter.push(typeof bytes === 'string' ? encoder.encode(bytes) : bytes)
    }
  } catch (thrown) {
    throw toApiError(
      thrown,
      () => ctx.log,
      () => ctx.signal,
    )
  }
  yield* splitter.end()
}

/** A chunk of a body. Browsers' types do not allow shared memory in a `Blob`. */
type BlobChunk = string | Uint8Array<ArrayBuffer>

async function toBlob(body: Reply['body'], type: string): Promise<Blob> {
  const parts: BlobChunk[] = []
  if (isReplyStream(body)) for await (const chunk of body.chunks) parts.push((await body.encode(chunk)) as BlobChunk)
  else if (body !== null) parts.push(body as BlobChunk)
  return new Blob(parts, { type })
}

/** Returns the error of a response that a middleware or a handler has created. */
async function toReplyError({ status, headers, body }: Reply): Promise<Error> {
  const text = await (await toBlob(body, '')).text()
  let envelope: unknown = null
  try {
    envelope = JSON.parse(text)
  } catch {
    // Not an error envelope: the code is derived from the status.
  }
  return fromEnvelope(envelope, { status, retryAfter: fromRetryAfter(String(headers['retry-after'] ?? '')) })
}
