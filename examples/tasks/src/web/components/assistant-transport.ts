import { isApiError, type Sdk } from '@sdk/react'
import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai'

const ROUTE = 'POST /agent/assistant'

type StreamReply = Awaited<ReturnType<Sdk['client']['send']>>

interface Events {
  /** Called when an answer begins (1) or ends (-1). */
  readonly onActive: (change: 1 | -1) => void
  /** Called when chunks are retracted. It must follow the answer again. */
  readonly onRetract: () => void
}

/** Connects `useChat` to the agent. The id of the chat is the thread of its runs. */
export function createTransport(client: Sdk['client'], { onActive, onRetract }: Events): ChatTransport<UIMessage> {
  /** Yields the chunks of an answer, or starts again if chunks are retracted, since the AI SDK cannot remove parts. */
  async function* follow(request: Promise<StreamReply>): AsyncGenerator<UIMessageChunk> {
    onActive(1)
    try {
      const reply = await request
      if (reply.kind !== 'stream') throw new TypeError(`${ROUTE} must stream`)
      yield* reply.chunks as AsyncIterable<UIMessageChunk>
    } catch (error) {
      if (!isApiError(error) || error.code !== 'RUN_RETRACTED') throw error
      onRetract()
    } finally {
      onActive(-1)
    }
  }

  return {
    resumeStreamIsReplay: true,
    /** Sends only the newest message. */
    async sendMessages({ chatId: thread, messages, abortSignal: signal }) {
      const message = messages.at(-1)
      const text = message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
      return toStream(follow(client.send(ROUTE, { id: message?.id, text }, { thread, signal })))
    },
    /** Follows the run that answers now from its first chunk, or returns null if there is none. */
    async reconnectToStream({ chatId: thread, abortSignal: signal }) {
      const { data: runs } = await client.call('GET /agent/assistant/runs', { query: { thread }, signal })
      // Newest first: the oldest unfinished run answers, and the later ones are queued.
      const current = runs.findLast(({ endedAt }) => endedAt === null) ?? runs[0]
      if (current === undefined || current.status === 'cancelled') return null
      return toStream(follow(client.send(ROUTE, undefined, { signal, run: current.id })))
    },
  }
}

function toStream(chunks: AsyncGenerator<UIMessageChunk>): ReadableStream<UIMessageChunk> {
  return new ReadableStream({
    async pull(controller) {
      const next = await chunks.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
    cancel: () => void chunks.return(undefined),
  })
}
