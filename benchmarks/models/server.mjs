// A chat with a mock model and a tool, with and without the observation of model calls.
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent, createApp, createLog, serve } from '@sdk/server'
import { openRecording } from '@sdk/workbench'
import { convertToModelMessages, stepCountIs, streamText } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { report } from '../harness/report.mjs'

const DELTAS = 60
const isRecorded = process.env.BENCH_RECORDED === 'yes'

const finish = (unified) => ({
  type: 'finish',
  finishReason: { unified, raw: unified },
  usage: {
    inputTokens: { total: 900, noCache: 100, cacheRead: 800, cacheWrite: 0 },
    outputTokens: { total: 60, text: 60, reasoning: 0 },
  },
})
const toolCall = { type: 'tool-call', toolCallId: 'c1', toolName: 'callWeather', input: '{"city":"Rome"}' }
const first = [{ type: 'stream-start', warnings: [] }, toolCall, finish('tool-calls')]
const second = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: 't' },
  ...Array.from({ length: DELTAS }, () => ({ type: 'text-delta', id: 't', delta: 'a few words ' })),
  { type: 'text-end', id: 't' },
  finish('stop'),
]
const toStream = (parts) => {
  const rest = parts.values()
  return new ReadableStream({
    pull(controller) {
      const { value, done } = rest.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}
const model = new MockLanguageModelV3({
  doStream: ({ prompt }) => {
    model.doStreamCalls.length = 0 // the mock would keep all calls
    return Promise.resolve({ stream: toStream(prompt.at(-1)?.role === 'tool' ? second : first) })
  },
})

const weather = createAgent('weather', {
  description: 'Returns the weather in a city',
  handler: () => ({ sky: 'sun', celsius: 21 }),
})
const chat = createAgent('chat', {
  async handler(ctx, { messages }) {
    return streamText({
      model,
      system: 'You are a helpful assistant.',
      messages: await convertToModelMessages(messages),
      tools: await ctx.tools(['POST /agent/weather']),
      stopWhen: stepCountIs(5),
      abortSignal: ctx.signal,
    }).toUIMessageStreamResponse()
  },
})

// The mode: `plain` observes nothing. `storage` uses an `AsyncLocalStorage` for something else, as @sdk/database and
// Better Auth do. `observed` observes model calls.
const mode = process.env.BENCH_MODE
const isObserved = mode === 'observed'
const app = createApp({
  agents: [chat, weather],
  rateLimit: false,
  log: createLog({ write: () => {} }),
  // In development, the recorder of the workbench stores the steps. In production, they are counted.
  isDevelopment: isRecorded && isObserved,
  metrics: !isRecorded && isObserved,
})
if (mode === 'storage') new AsyncLocalStorage().run({}, () => {})
const server = await serve(isRecorded ? record() : app, { port: 0 })
report(server.port)

function record() {
  const root = mkdtempSync(join(tmpdir(), 'sdk-bench-models-'))
  process.on('exit', () => rmSync(root, { recursive: true, force: true }))
  return openRecording({ root, onRun: () => {} }).recordApp(app)
}
