import type { Tool } from '@sdk/server'
import { convertToModelMessages, streamText, type LanguageModel, type UIMessage, type UIMessageChunk } from 'ai'

interface Thought {
  readonly model: LanguageModel
  readonly system: string
  readonly messages: readonly Omit<UIMessage, 'id'>[]
  readonly tools: Readonly<Record<string, Tool>>
  readonly signal: AbortSignal
}

/** Calls the model once: yields its chunks, and returns the parts of its message as JSON. Does not run the tools. */
export async function* think(thought: Thought): AsyncGenerator<UIMessageChunk, unknown[]> {
  const { model, system, signal } = thought
  // Without `execute`, the AI SDK stops at a tool call. The agent then runs it in a step of its own.
  const tools = Object.fromEntries(
    Object.entries(thought.tools).map(([name, { description, inputSchema }]) => [name, { description, inputSchema }]),
  )
  const messages = await convertToModelMessages(thought.messages.filter(({ parts }) => parts.length > 0))
  let failure: unknown
  let parts: UIMessage['parts'] = []
  const result = streamText({
    model,
    system,
    messages,
    tools,
    abortSignal: signal,
    onError: ({ error }) => void (failure = error),
  })
  const chunks = result.toUIMessageStream({
    sendStart: false,
    sendFinish: false,
    onFinish: ({ responseMessage }) => void (parts = responseMessage.parts),
  })
  for await (const chunk of chunks) {
    // The step is then retried, and its chunks are retracted. The server logs the error; the page does not receive it.
    if (chunk.type === 'error') throw new Error('the model failed', { cause: failure })
    yield chunk
  }
  signal.throwIfAborted()
  return parts
}
