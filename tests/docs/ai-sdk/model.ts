import { APICallError, simulateReadableStream } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'

/** A model whose behavior the test sets. */
export interface Act {
  readonly model: MockLanguageModelV3
  next: 'speak' | 'fail' | 'busy' | 'never end'
  /** The number of calls that were aborted by their caller. */
  aborted: number
  /** The id of the task that the model deletes if it has only that tool. */
  remove: number
}

/** Creates a model that streams word by word, and calls the weather tool if it has one. */
export function createAct(): Act {
  const act: Act = {
    next: 'speak',
    aborted: 0,
    remove: 0,
    model: new MockLanguageModelV3({
      doGenerate: () => {
        const input = JSON.stringify({ id: act.remove })
        const content = [{ type: 'tool-call' as const, toolCallId: '1', toolName: 'removeTask', input }]
        const finishReason = { unified: 'tool-calls' as const, raw: 'tool' }
        return Promise.resolve({ content, finishReason, usage, warnings: [] })
      },
      doStream: ({ abortSignal, tools = [], prompt }) => {
        abortSignal?.addEventListener('abort', () => act.aborted++)
        if (act.next === 'busy') throw busy()
        const hasToolResult = prompt.at(-1)?.role === 'tool'
        const parts = tools.length > 0 && !hasToolResult ? callTool() : speak(act.next, JSON.stringify(prompt.at(-1)))
        const chunkDelayInMs = act.next === 'never end' ? 60_000 : 20
        return Promise.resolve({ stream: simulateReadableStream({ chunks: parts, chunkDelayInMs }) })
      },
    }),
  }
  return act
}

type Part = Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

function speak(how: Act['next'], prompt: string): Part[] {
  const words = ['One. ', 'Two. ', prompt.includes('rain') ? 'It rains.' : 'Three.']
  const deltas = words.map((delta) => ({ type: 'text-delta' as const, id: '1', delta }))
  const begin: Part[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '1' },
  ]
  const finish = { type: 'finish' as const, usage, finishReason: { unified: 'stop' as const, raw: 'stop' } }
  if (how === 'fail') return [...begin, ...deltas.slice(0, 2), { type: 'error', error: new Error('key sk-123 is bad') }]
  return [...begin, ...deltas, { type: 'text-end', id: '1' }, finish]
}

function callTool(): Part[] {
  const call = { type: 'tool-call' as const, toolCallId: '1', toolName: 'callWeather', input: '{"city":"London"}' }
  const finish = { type: 'finish' as const, usage, finishReason: { unified: 'tool-calls' as const, raw: 'tool' } }
  return [{ type: 'stream-start', warnings: [] }, call, finish]
}

function busy(): APICallError {
  const request = { url: 'https://model.example', requestBodyValues: {} }
  return new APICallError({ ...request, message: 'slow down', statusCode: 429, isRetryable: false })
}
