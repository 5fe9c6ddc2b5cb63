import type { ServerResponse } from 'node:http'
import { isReplyStream, type Reply } from '../http/reply.ts'
import { endChunks, openChunks } from '../http/reply-stream.ts'
import { sendChunk, type HeadWriter } from './response-head.ts'
import { sendStream, StreamOut } from './send-stream.ts'

/** Sends a reply. For a stream, returns a promise that resolves when the stream has ended. */
export function sendReply(reply: Reply, response: ServerResponse, writeHead: HeadWriter): void | Promise<void> {
  const { status, body } = reply
  const { method } = response.req
  if (isReplyStream(body) && method !== 'HEAD') {
    const sent = sendStream(body, new StreamOut(response, reply, writeHead))
    return sent.then((size) => reply.ended?.(size, response.writableEnded))
  }
  if (isReplyStream(body) || status === 204 || status === 304) {
    writeHead(response, reply, 'none')
    response.end()
    if (isReplyStream(body)) void endChunks(openChunks(body), body)
    reply.ended?.(0, true)
    return
  }
  const length = body === null ? 0 : Buffer.byteLength(body)
  const isOurs = writeHead(response, reply, length)
  // Text with as many bytes as characters is ASCII, which Node writes faster as latin1.
  const encoding = length === body?.length ? 'latin1' : 'utf8'
  const isSent = isOurs && typeof body === 'string' && method !== 'HEAD'
  if (isSent) sendChunk(response, body, encoding)
  if (isSent || body === null || method === 'HEAD') response.end()
  else response.end(body, encoding)
  reply.ended?.(method === 'HEAD' ? 0 : length, !response.destroyed)
}
