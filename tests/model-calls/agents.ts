import { createAgent, type Agent } from '@sdk/server'
import { z } from 'zod'
import type { AiSdk } from './sdk.ts'

/** The input of all agents: the number of the run, from which its prompts and tokens follow. */
const input = z.object({ n: z.number() })

/** The kinds of runs. */
export const KINDS = ['value', 'chunks', 'response', 'nested', 'later', 'durable'] as const

/** A kind of run. */
export type Kind = (typeof KINDS)[number]

/** A model call that a run is expected to make. */
export interface ExpectedCall {
  /** The route of the run or nested run that makes it. */
  readonly route: string
  readonly tokens: { input: number; cached: number; output: number; reasoning: number }
}

/** Returns the tokens that the mock model reports for a prompt such as `value 7`. */
function tokensOf(kind: string, n: number): ExpectedCall['tokens'] {
  const base = 1000 * (n + 1) + 10 * kind.length
  return { input: base, cached: base / 10, output: base + 3, reasoning: 7 + n }
}

/** Returns the model calls that a run makes. The agents are below. */
export function expectedCalls(kind: Kind, n: number): ExpectedCall[] {
  const call = (name: string, prompt: string): ExpectedCall => ({
    route: `POST /agent/${name}`,
    tokens: tokensOf(prompt, n),
  })
  if (kind === 'response') return [call('response', 'response'), call('value', 'value'), call('response', 'response')]
  if (kind === 'nested') return [call('chunks', 'chunks'), call('value', 'value'), call('nested', 'nested')]
  return [call(kind, kind)]
}

/** Creates agents that call a mock model in each way that a handler can. */
export function createModelAgents({ ai, MockModel }: AiSdk): Agent[] {
  const model = createMock(MockModel)
  // Without it, version 6 creates no spans. Version 7 ignores it.
  const telemetry = { experimental_telemetry: { isEnabled: true } }
  const prompt = (kind: string, n: number): string => `${kind} ${n}`
  const value = createAgent('value', {
    input,
    handler: async (_ctx, { n }) => ({
      text: (await ai.generateText({ model, ...telemetry, prompt: prompt('value', n) })).text,
    }),
  })
  const chunks = createAgent('chunks', {
    input,
    async *handler(_ctx, { n }) {
      for await (const text of ai.streamText({ model, ...telemetry, prompt: prompt('chunks', n) }).textStream)
        yield { text }
    },
  })
  const response = createAgent('response', {
    input,
    async handler(ctx, { n }) {
      const tools = await ctx.tools({ value: 'POST /agent/value' } as never)
      const stopWhen = ai.stepCountIs(3)
      return ai
        .streamText({ model, tools, stopWhen, ...telemetry, prompt: prompt('response', n) })
        .toUIMessageStreamResponse()
    },
  })
  const nested = createAgent('nested', {
    input,
    async *handler(ctx, { n }) {
      yield* await ctx.call(chunks, { n })
      const { text } = await ctx.call(value, { n })
      yield { text }
      yield { text: (await ai.generateText({ model, ...telemetry, prompt: prompt('nested', n) })).text }
    },
  })
  const later = createAgent('later', {
    input,
    handler(ctx, { n }) {
      const work = async (): Promise<void> => {
        await new Promise((resolve) => setTimeout(resolve, 20)) // the response has been sent by then
        await ai.generateText({ model, ...telemetry, prompt: prompt('later', n) })
      }
      ctx.waitUntil(work())
      return { isAccepted: true }
    },
  })
  const durable = createAgent('durable', {
    durable: true,
    input,
    async *handler(ctx, { n }) {
      const call = async (): Promise<string> =>
        (await ai.generateText({ model, ...telemetry, prompt: prompt('durable', n) })).text
      yield { text: await ctx.step('ask', call) }
    },
  })
  return [value, chunks, response, nested, later, durable]
}

type Mock = InstanceType<AiSdk['MockModel']>
type Part = Awaited<ReturnType<Mock['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never

/** Creates a model whose usage follows from the prompt, and which calls its only tool first if it has one. */
function createMock(MockModel: AiSdk['MockModel']): Mock {
  const plan = (options: Parameters<Mock['doStream']>[0]) => {
    const [, kind = '', n = ''] = /([a-z]+) (\d+)/.exec(JSON.stringify(options.prompt)) ?? []
    const tokens = tokensOf(kind, Number(n))
    const usage = {
      inputTokens: { total: tokens.input, noCache: tokens.input - tokens.cached, cacheRead: tokens.cached },
      outputTokens: { total: tokens.output, text: tokens.output - tokens.reasoning, reasoning: tokens.reasoning },
    } as never
    const tool = options.prompt.at(-1)?.role === 'tool' ? undefined : options.tools?.[0]?.name
    const call = { type: 'tool-call' as const, toolCallId: `call ${n}`, toolName: tool ?? '', input: `{"n":${n}}` }
    const unified = tool === undefined ? ('stop' as const) : ('tool-calls' as const)
    return { kind, usage, finishReason: { unified, raw: unified }, call: tool === undefined ? null : call }
  }
  return new MockModel({
    modelId: 'mock-1',
    doGenerate: (options) => {
      const { kind, usage, finishReason } = plan(options)
      return Promise.resolve({ content: [{ type: 'text', text: kind }], finishReason, usage, warnings: [] })
    },
    doStream: (options) => {
      const { kind, usage, finishReason, call } = plan(options)
      const text: Part[] = [
        { type: 'text-start', id: '1' },
        ...kind.split('').map((delta): Part => ({ type: 'text-delta', id: '1', delta })),
        { type: 'text-end', id: '1' },
      ]
      const parts: Part[] = [{ type: 'stream-start', warnings: [] }, ...(call === null ? text : [call])]
      return Promise.resolve({ stream: toStream([...parts, { type: 'finish', usage, finishReason }]) })
    },
  })
}

/** Returns a stream with one part per tick, so that concurrent runs alternate. */
function toStream(parts: readonly Part[]): ReadableStream<Part> {
  const rest = [...parts]
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setImmediate(resolve))
      const next = rest.shift()
      if (next === undefined) controller.close()
      else controller.enqueue(next)
    },
  })
}
