import type { ModelStepEnd, ModelStepObserver, ModelStepStart, ModelTokens } from './model-step.ts'

/** The run that model calls belong to. */
export interface ModelSink {
  onStepStart(start: ModelStepStart): ModelStepObserver | undefined
  onStepEnd(start: ModelStepStart, end: ModelStepEnd): void
}

/**
 * The members of the AI SDK's events that are read. Version 6 names the model in `model`, version 7 in the event itself.
 * Version 7 calls the system prompt `instructions`.
 */
interface SdkEvent {
  readonly model?: { readonly provider?: unknown; readonly modelId?: unknown }
  readonly provider?: unknown
  readonly modelId?: unknown
  readonly system?: unknown
  readonly instructions?: unknown
  readonly messages?: readonly unknown[]
  readonly promptMessages?: readonly unknown[]
  readonly tools?: Readonly<Record<string, unknown>>
  readonly activeTools?: readonly string[]
  readonly finishReason?: unknown
  readonly usage?: SdkUsage
  readonly content?: unknown
  readonly objectText?: string
  readonly performance?: { readonly timeToFirstOutputMs?: number }
  readonly msToFirstChunk?: number
  readonly toolCall?: { readonly toolCallId?: unknown; readonly toolName?: unknown }
  readonly success?: boolean
  readonly toolOutput?: { readonly type?: string }
  readonly error?: unknown
}

interface SdkUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly inputTokenDetails?: { readonly cacheReadTokens?: number }
  readonly outputTokenDetails?: { readonly reasoningTokens?: number }
}

type Listen = (event: SdkEvent) => void

/** The number of calls so far, which identifies each call. */
let calls = 0

/** The listeners for one call of the AI SDK, such as `streamText`, by the names that versions 6 and 7 use. */
type Listeners = Readonly<Record<string, Listen>>

/**
 * Creates an integration for the registry of the AI SDK. `find` returns the run of the current code, or undefined.
 *
 * The AI SDK reads the listeners of an integration once per call and synchronously, before it calls the model. Each call
 * therefore receives its own listeners, which know the run in which it was made. Events could not be matched otherwise:
 * version 6 does not identify the call, and the code that reads a stream often runs outside of the run.
 */
export function createModelTelemetry(find: () => ModelSink | undefined): object {
  let listeners: Listeners | null = null
  const taken = new Set<string>()
  const take = (name: string): Listen | undefined => {
    if (listeners === null || taken.has(name)) {
      const sink = find()
      if (sink === undefined) return undefined
      listeners = createListeners(sink)
      taken.clear()
      queueMicrotask(() => (listeners = null))
    }
    taken.add(name)
    return listeners[name]
  }
  const properties = EVENTS.map((name) => [name, { enumerable: true, get: () => take(name) }] as const)
  return Object.defineProperties({}, Object.fromEntries(properties))
}

const EVENTS = Object.keys(createListeners({ onStepStart: () => undefined, onStepEnd() {} }))

function createListeners(sink: ModelSink): Listeners {
  const call = ++calls
  let steps = 0
  let open: { readonly start: ModelStepStart; readonly observer: ModelStepObserver | undefined } | null = null
  const start: Listen = (event) => {
    const started = toStart(event, { call, index: steps++ })
    open = { start: started, observer: sink.onStepStart(started) }
  }
  // Version 7 calls both `onStepFinish` and `onStepEnd`, and several listeners for an error: the first one counts.
  const finish = (end: ModelStepEnd): void => {
    const step = open
    open = null
    if (step === null) return
    step.observer?.onEnd(end)
    sink.onStepEnd(step.start, end)
  }
  const end: Listen = (event) => finish(toEnd(event))
  const fail = ({ error }: SdkEvent): void => finish({ ...FAILED, error })
  const toolStart: Listen = ({ toolCall }) => open?.observer?.onToolStart(toTool(toolCall))
  const toolEnd: Listen = ({ toolCall, success, toolOutput }) =>
    open?.observer?.onToolEnd({
      id: toTool(toolCall).id,
      hasFailed: success === false || toolOutput?.type === 'tool-error',
    })
  return {
    onStepStart: start,
    onObjectStepStart: start,
    onToolCallStart: toolStart,
    onToolExecutionStart: toolStart,
    onToolCallFinish: toolEnd,
    onToolExecutionEnd: toolEnd,
    onStepFinish: end,
    onStepEnd: end,
    onObjectStepEnd: end,
    onStepError: fail,
    onAbort: () => finish({ ...FAILED, finishReason: 'aborted' }),
    onError: fail,
  }
}

const FAILED: ModelStepEnd = { finishReason: 'error', tokens: null, content: null, firstMs: null }

function toStart(event: SdkEvent, place: Pick<ModelStepStart, 'call' | 'index'>): ModelStepStart {
  const { provider = '', modelId = '' } = event.model ?? event
  const { tools = {}, activeTools } = event
  const offered = Object.entries(tools).filter(([name]) => activeTools?.includes(name) ?? true)
  return {
    ...place,
    provider: String(provider),
    model: String(modelId),
    system: event.system ?? event.instructions,
    messages: event.messages ?? event.promptMessages ?? [],
    tools: Object.fromEntries(offered),
  }
}

function toEnd(event: SdkEvent): ModelStepEnd {
  const { finishReason = 'unknown', usage, content, objectText, performance, msToFirstChunk } = event
  return {
    finishReason: String(finishReason),
    tokens: toTokens(usage),
    content: content ?? (objectText === undefined ? null : [{ type: 'text', text: objectText }]),
    firstMs: performance?.timeToFirstOutputMs ?? msToFirstChunk ?? null,
  }
}

function toTokens(usage: SdkUsage | undefined): ModelTokens | null {
  const { inputTokens, outputTokens, inputTokenDetails, outputTokenDetails } = usage ?? {}
  if (inputTokens === undefined && outputTokens === undefined) return null
  return {
    input: toCount(inputTokens),
    cached: toCount(inputTokenDetails?.cacheReadTokens),
    output: toCount(outputTokens),
    reasoning: toCount(outputTokenDetails?.reasoningTokens),
  }
}

/** Returns a number that can be added to a counter. Providers may report anything. */
function toCount(value: unknown): number {
  return typeof value === 'number' && value > 0 && value < Infinity ? value : 0
}

function toTool(call: SdkEvent['toolCall']): { readonly id: string; readonly name: string } {
  return { id: String(call?.toolCallId), name: String(call?.toolName) }
}
