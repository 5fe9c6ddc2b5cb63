import type { RunObserver } from '@sdk/server'
import { toLogText, type ModelStepObserver, type ModelStepStart } from '@sdk/server/node'
import type { RunError, RunLog, RunSpan } from '../run.ts'
import { ModelRecordings } from './model-recordings.ts'
import { ModelSteps } from './model-steps.ts'
import type { Redactor } from './redact.ts'
import type { SpanDependencies } from './span-dependencies.ts'
import { joinStored, toRunText, type StoredText } from './stored-text.ts'

const MAX_LOGS = 2_000
const MAX_SPANS = 1_000
/** The maximum number of chunks stored per span. Further chunks are only counted. */
const MAX_CHUNKS = 20_000
const MAX_LOG_MESSAGE = 8_192

type StoredLog = Omit<RunLog, 'fields'> & { readonly fields: StoredText | null }

/** The agents that a run called, and the run's log lines. */
export class Spans {
  readonly #deps: SpanDependencies
  readonly #spans: SpanRecorder[] = []
  readonly #logs: StoredLog[] = []
  readonly models: ModelSteps
  readonly recordings: ModelRecordings

  constructor(deps: SpanDependencies) {
    this.#deps = deps
    this.models = new ModelSteps(deps)
    this.recordings = new ModelRecordings(deps, this.models)
  }

  open(route: string, input: unknown, { parentId, toolCallId }: SpanOrigin): RunObserver {
    if (this.#spans.length >= MAX_SPANS) return this.#unrecorded(parentId)
    this.#deps.resume()
    const id = this.#spans.length + 1
    // A tool that calls an agent itself does not pass on the id.
    const caller = toolCallId ?? this.models.onlyToolCall(parentId)
    const span = new SpanRecorder(this, this.#deps, { id, parentId, route, input, toolCallId: caller })
    this.#spans.push(span)
    return span
  }

  log(line: Pick<StoredLog, 'level' | 'message' | 'spanId'>, fields: object | undefined): void {
    if (this.#logs.length >= MAX_LOGS) return
    const { at, budget, resume } = this.#deps
    resume()
    // Serialized immediately, since the object may change later.
    const kept = fields === undefined ? null : budget.take(toLogText(fields))
    this.#logs.push({ ...line, message: line.message.slice(0, MAX_LOG_MESSAGE), at: at(), fields: kept })
  }

  toSpans(redactor: Redactor): RunSpan[] {
    return this.#spans.map((span) => span.toSpan(redactor))
  }

  toLogs(redactor: Redactor): RunLog[] {
    return this.#logs.map(({ fields, ...line }) => ({
      ...line,
      message: redactor.text(line.message),
      fields: fields === null ? null : toRunText(fields, redactor).text,
    }))
  }

  /**
   * Returns an observer for spans beyond the limit. They are not recorded, and their log lines are added to the parent.
   */
  #unrecorded(spanId: number): RunObserver {
    const span: RunObserver = {
      onNestedRun: () => span,
      onLog: (level, message, fields) => this.log({ level, message, spanId }, fields),
      onChunk() {},
      onEnd() {},
    }
    return span
  }
}

type SpanStart = Pick<RunSpan, 'id' | 'parentId' | 'route' | 'toolCallId'>

type SpanOrigin = Pick<RunSpan, 'parentId' | 'toolCallId'>

class SpanRecorder implements RunObserver {
  readonly #all: Spans
  readonly #deps: SpanDependencies
  readonly #start: SpanStart
  readonly #startedAt: number
  readonly #input: StoredText | null
  readonly #chunks: StoredText[] = []
  #count = 0
  #endedAt: number | null = null
  #output: StoredText | null = null
  #error: RunError | null = null

  constructor(all: Spans, deps: SpanDependencies, { input, ...start }: SpanStart & { input: unknown }) {
    this.#all = all
    this.#deps = deps
    this.#start = start
    this.#startedAt = deps.at()
    this.#input = input === undefined ? null : deps.budget.take(toJsonOrLogText(input))
  }

  onNestedRun(route: string, input: unknown, toolCallId?: string): RunObserver {
    return this.#all.open(route, input, { parentId: this.#start.id, toolCallId })
  }

  onModelStep(start: ModelStepStart): ModelStepObserver {
    return this.#all.models.open(start, this.#start.id)
  }

  onFetch(request: Request): ((response: Response) => void) | undefined {
    return this.#all.recordings.open(request)
  }

  onLog(level: RunLog['level'], message: string, fields: object | undefined): void {
    this.#all.log({ level, message, spanId: this.#start.id }, fields)
  }

  onChunk(chunk: unknown): void {
    this.#deps.resume()
    this.#count += 1
    if (this.#count <= MAX_CHUNKS) this.#chunks.push(this.#deps.budget.take(`${toJsonOrLogText(chunk)}\n`))
    else if (this.#count === MAX_CHUNKS + 1) this.#chunks.push({ piece: '', bytes: 0 })
  }

  onEnd({ output, error }: { output?: unknown; error?: unknown }): void {
    this.#deps.resume()
    this.#endedAt = this.#deps.at()
    if (output !== undefined) this.#output = this.#deps.budget.take(toJsonOrLogText(output))
    if (error !== undefined) this.#error = this.#deps.toError(error)
  }

  toSpan(redactor: Redactor): RunSpan {
    const output = this.#chunks.length > 0 ? joinStored(this.#chunks) : this.#output
    return {
      ...this.#start,
      startedAt: this.#startedAt,
      endedAt: this.#endedAt,
      input: this.#input === null ? null : toRunText(this.#input, redactor),
      output: output === null ? null : toRunText(output, redactor),
      chunks: this.#count,
      error: this.#error,
    }
  }
}

/** Serializes a value as JSON, or in log format if JSON cannot represent it. */
export function toJsonOrLogText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    return toLogText(value)
  }
}
