import { isApiError, type Sdk } from '@sdk/react'
import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai'

const ROUTE = 'POST /agent/chat-name'

/** Connects `useChat` to the agent. The id of the chat is the thread of its runs. */
export function createTransport(client: Sdk['client'], onRetract: () => void): ChatTransport<UIMessage> {
  return {
    resumeStreamIsReplay: true,
    /** Sends only the newest message. */
    async sendMessages({ chatId: thread, messages, abortSignal: signal }) {
      const message = messages.at(-1)
      const text = message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
      return toStream(await client.send(ROUTE, { id: message?.id, text }, { thread, signal }), onRetract)
    },
    /** Follows the run that answers now from its first chunk, or returns null if there is none. */
    async reconnectToStream({ chatId: thread, abortSignal: signal }) {
      const { data: runs } = await client.call('GET /agent/chat-name/runs', { query: { thread }, signal })
      // Newest first: the oldest unfinished run answers, and the later ones are queued.
      const current = runs.findLast(({ endedAt }) => endedAt === null) ?? runs[0]
      if (current === undefined || current.status === 'cancelled') return null
      return toStream(await client.send(ROUTE, undefined, { signal, run: current.id }), onRetract)
    },
  }
}

/** Ends the stream if chunks are retracted, since the AI SDK cannot remove parts. `onRetract` then starts again. */
function toStream(
  reply: Awaited<ReturnType<Sdk['client']['send']>>,
  onRetract: () => void,
): ReadableStream<UIMessageChunk> {
  if (reply.kind !== 'stream') throw new TypeError(`${ROUTE} must stream`)
  const chunks = (reply.chunks as AsyncIterable<UIMessageChunk>)[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await chunks.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      } catch (error) {
        if (!isApiError(error) || error.code !== 'RUN_RETRACTED') throw error
        controller.close()
        onRetract()
      }
    },
    cancel: () => void chunks.return?.(),
  })
}
