import type { ModelStepEnd, ModelStepObserver, ModelStepStart } from '@sdk/server/node'
import type { RunError, RunModelStep, RunToolCall } from '../run.ts'
import type { Redactor } from './redact.ts'
import type { SpanDependencies } from './span-dependencies.ts'
import { toRunText, type StoredText } from './stored-text.ts'

const MAX_MODEL_STEPS = 500

/** The maximum number of characters stored for the request and for the answer of a step. */
const MAX_STEP_TEXT = 100_000

/** The maximum number of characters stored for one string, since files are sent as long strings. */
const MAX_PART_TEXT = 20_000

/** The model calls of a run and its nested runs. */
export class ModelSteps {
  readonly #deps: SpanDependencies
  readonly #steps: ModelStepRecorder[] = []
  /** The number of messages in the last step of each call, and the last of them. */
  readonly #sent = new Map<number, { readonly count: number; readonly last: string | undefined }>()

  constructor(deps: SpanDependencies) {
    this.#deps = deps
  }

  open(start: ModelStepStart, spanId: number): ModelStepObserver {
    if (this.#steps.length >= MAX_MODEL_STEPS) return NOT_RECORDED
    this.#deps.resume()
    const step = new ModelStepRecorder(this.#deps, { start, spanId, input: this.#toInput(start) })
    this.#steps.push(step)
    this.#deps.changed()
    return step
  }

  /** Whether the run has called a model. */
  get hasSteps(): boolean {
    return this.#steps.length > 0
  }

  /** Returns the id of the tool call that a span is executing, if there is exactly one. */
  onlyToolCall(spanId: number): string | undefined {
    const running = this.#steps.filter((step) => step.spanId === spanId).flatMap((step) => step.runningTools())
    return running.length === 1 ? running[0] : undefined
  }

  toSteps(redactor: Redactor): RunModelStep[] {
    return this.#steps.map((step) => step.toStep(redactor))
  }

  /** Returns the request as JSON. Messages that an earlier step of the call has sent, too, are only counted. */
  #toInput({ call, system, messages, tools }: ModelStepStart): string {
    const texts = messages.map(toPartText)
    const { count, last } = this.#sent.get(call) ?? { count: 0, last: undefined }
    const earlier = count <= texts.length && texts[count - 1] === last ? count : 0
    this.#sent.set(call, { count: texts.length, last: texts.at(-1) })
    const offered = Object.entries(tools).map(([name, tool]) => ({ name, description: descriptionOf(tool) }))
    const head = system === undefined ? '' : `"system":${toPartText(system)},`
    return `{${head}"earlier":${earlier},"messages":[${texts.slice(earlier).join(',')}],"tools":${toPartText(offered)}}`
  }
}

const NOT_RECORDED: ModelStepObserver = { onToolStart() {}, onToolEnd() {}, onEnd() {} }

class ModelStepRecorder implements ModelStepObserver {
  readonly spanId: number
  readonly #deps: SpanDependencies
  readonly #start: Pick<RunModelStep, 'spanId' | 'call' | 'index' | 'provider' | 'model' | 'startedAt'>
  readonly #input: StoredText
  readonly #toolCalls: { -readonly [Name in keyof RunToolCall]: RunToolCall[Name] }[] = []
  #end: Pick<RunModelStep, 'endedAt' | 'firstMs' | 'finishReason' | 'tokens'> = NOT_ENDED
  #output: StoredText | null = null
  #error: RunError | null = null

  constructor(
    deps: SpanDependencies,
    { start, spanId, input }: { start: ModelStepStart; spanId: number; input: string },
  ) {
    const { call, index, provider, model } = start
    this.spanId = spanId
    this.#deps = deps
    this.#start = { spanId, call, index, provider, model, startedAt: deps.at() }
    this.#input = deps.budget.take(input, MAX_STEP_TEXT)
  }

  onToolStart({ id, name }: { id: string; name: string }): void {
    this.#toolCalls.push({ id, name, startedAt: this.#deps.at(), endedAt: null, hasFailed: false })
  }

  onToolEnd({ id, hasFailed }: { id: string; hasFailed: boolean }): void {
    const call = this.#toolCalls.find((one) => one.id === id)
    if (call !== undefined) Object.assign(call, { endedAt: this.#deps.at(), hasFailed })
  }

  onEnd({ finishReason, tokens, content, firstMs, error }: ModelStepEnd): void {
    const { at, budget, resume, changed, toError } = this.#deps
    resume()
    this.#end = { endedAt: at(), firstMs, finishReason, tokens }
    if (content !== null) this.#output = budget.take(toPartText(content), MAX_STEP_TEXT)
    if (error !== undefined) this.#error = toError(error)
    changed()
  }

  runningTools(): string[] {
    return this.#toolCalls.flatMap(({ id, endedAt }) => (endedAt === null ? [id] : []))
  }

  toStep(redactor: Redactor): RunModelStep {
    return {
      ...this.#start,
      ...this.#end,
      input: toRunText(this.#input, redactor),
      output: this.#output === null ? null : toRunText(this.#output, redactor),
      toolCalls: this.#toolCalls.map((call) => ({ ...call })),
      error: this.#error,
    }
  }
}

const NOT_ENDED = { endedAt: null, firstMs: null, finishReason: null, tokens: null }

function descriptionOf(tool: unknown): string | undefined {
  const { description } = (tool ?? {}) as { description?: unknown }
  return typeof description === 'string' ? description : undefined
}

/** Serializes a part of a request or an answer as JSON, without the content of files. */
function toPartText(value: unknown): string {
  try {
    return JSON.stringify(value, withoutFiles) ?? 'null'
  } catch {
    return '"(a value that is not JSON)"'
  }
}

function withoutFiles(this: unknown, key: string, value: unknown): unknown {
  // A Buffer has already been converted to an object.
  const original = (this as Readonly<Record<string, unknown>>)[key]
  if (original instanceof Uint8Array || original instanceof ArrayBuffer) return `(${original.byteLength} bytes)`
  if (typeof value !== 'string' || value.length <= MAX_PART_TEXT) return value
  return `${value.slice(0, MAX_PART_TEXT)}… (${value.length} characters)`
}
