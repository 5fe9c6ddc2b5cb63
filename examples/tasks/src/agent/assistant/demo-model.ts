import { setTimeout as pause } from 'node:timers/promises'
import type { LanguageModel } from 'ai'

type Model = Extract<LanguageModel, { specificationVersion: 'v3' }>
type Options = Parameters<Model['doStream']>[0]
type Part = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never
type Message = Options['prompt'][number]

/** Answers without a key, so that the chat can be tried and tested. Delete this file when you use a real model. */
export const demoModel: Model = {
  specificationVersion: 'v3',
  provider: 'demo',
  modelId: 'demo',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('the demo model only streams')),
  doStream: ({ prompt, tools = [], abortSignal }) =>
    Promise.resolve({ stream: toStream(respond(prompt, tools), abortSignal) }),
}

/** Calls the tool whose words are in the message, such as “list notes”. Otherwise, repeats the message. */
function respond(prompt: Options['prompt'], tools: NonNullable<Options['tools']>): Part[] {
  const last = prompt.at(-1)
  if (last?.role === 'tool') return [...toText(`The tool responded: ${resultOf(last)}`), finish('stop')]
  const asked = prompt.filter(({ role }) => role === 'user')
  const text = textOf(asked.at(-1))
  const tool = tools.find(({ name }) =>
    name.split(/(?=[A-Z])/).every((word) => text.toLowerCase().includes(stem(word))),
  )
  const thought = tool === undefined ? 'No tool is needed.' : `I need the tool ${tool.name}.`
  const reasoning: Part[] = [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: thought },
    { type: 'reasoning-end', id: 'r' },
  ]
  if (tool?.type === 'function') {
    const input = JSON.stringify(toInput(tool.inputSchema as InputSchema, text))
    const toolCallId = crypto.randomUUID()
    return [...reasoning, { type: 'tool-call', toolCallId, toolName: tool.name, input }, finish('tool-calls')]
  }
  const names = tools.map(({ name }) => name).join(', ')
  const answer = `This is your message number ${asked.length}. You wrote: ${text}\n\nI am a demo. My tools: ${names || 'none'}.`
  return [...reasoning, ...toText(answer), finish('stop')]
}

function textOf(message: Message | undefined): string {
  if (typeof message?.content !== 'object') return message?.content ?? ''
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function resultOf(message: Message): string {
  const results = typeof message.content === 'object' ? message.content : []
  const values = results.map((part) => ('output' in part && 'value' in part.output ? part.output.value : null))
  return JSON.stringify(values).slice(0, 200)
}

/** `Notes` and `note` are the same word. */
function stem(word: string): string {
  return word.toLowerCase().replace(/s$/, '')
}

interface InputSchema {
  readonly properties?: Readonly<Record<string, { readonly type?: string }>>
  readonly required?: readonly string[]
}

/** Fills the required fields: a text with the words after the colon, a number with the first one in the message. */
function toInput({ properties = {}, required = [] }: InputSchema, text: string): object {
  const said = text.slice(text.indexOf(':') + 1).trim()
  const number = Number(/\d+/.exec(text)?.[0] ?? 0)
  return Object.fromEntries(
    required.map((name) => [name, /integer|number/.test(properties[name]?.type ?? '') ? number : said]),
  )
}

function toText(text: string): Part[] {
  const deltas = text.match(/\s*\S+/g) ?? []
  return [
    { type: 'text-start', id: 't' },
    ...deltas.map((delta) => ({ type: 'text-delta' as const, id: 't', delta })),
    { type: 'text-end', id: 't' },
  ]
}

function finish(unified: 'stop' | 'tool-calls'): Part {
  const inputTokens = { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 }
  const usage = { inputTokens, outputTokens: { total: 10, text: 10, reasoning: 0 } }
  return { type: 'finish', usage, finishReason: { unified, raw: unified } }
}

/** Sends about thirty parts per second, as models do. */
function toStream(parts: readonly Part[], signal: AbortSignal | undefined): ReadableStream<Part> {
  const rest = [{ type: 'stream-start' as const, warnings: [] }, ...parts].values()
  return new ReadableStream({
    async pull(controller) {
      await pause(30, undefined, { signal })
      const { value, done } = rest.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
  })
}
