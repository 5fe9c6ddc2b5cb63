import type { RequestContext } from '../context/context.ts'
import type { ReplyStream } from '../http/reply-stream.ts'

/** Wraps a stream so that its source runs as part of a run, although its chunks are read outside of it. */
export function enterStream(stream: ReplyStream, ctx: RequestContext): ReplyStream {
  const chunks = ctx.enterEach(stream.chunks)
  return chunks === stream.chunks ? stream : { ...stream, chunks }
}
