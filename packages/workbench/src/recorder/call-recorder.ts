import type { ServerRequest, RequestObserver, LogFields, Reply, RequestAuth, RunObserver } from '@sdk/server'
import { isReplyStream } from '@sdk/server/node'
import type { Run, RunError, RunLog, RunState, RunSummary, RunText } from '../run.ts'
import type { RunRecorder } from '../store/run-store.ts'
import { RecordedResponse } from './recorded-response.ts'
import { callerOf, headerIn } from './caller.ts'
import { toErrorLine, toMillis, type RecorderDependencies } from './recorder-dependencies.ts'
import { redactError, toRunError } from './run-error.ts'
import { Spans } from './spans.ts'
import { TextBudget, toRunText, type StoredText } from './stored-text.ts'
import { RecordedStream, type StreamObserver } from './recorded-stream.ts'

/**
 * One call, while it is recorded. It keeps raw values, and makes a `Run` of them only when somebody asks: most calls of
 * a busy server are dropped before that.
 */
export class CallRecorder implements RequestObserver, StreamObserver, RunRecorder {
  readonly #deps: RecorderDependencies
  readonly #method: string
  readonly #target: string
  readonly #headers: readonly string[]
  readonly #startedAt: number
  readonly #sequence: number
  readonly #began: number
  readonly #budget: TextBudget
  #revision: number
  #requestId = ''
  #route: string | null = null
  #auth: RequestAuth | null = null
  #body: StoredText | null = null
  #answer: RecordedResponse | null = null
  #spans: Spans | null = null
  #hasThrown = false
  #thrown: unknown
  #toldError: RunError | null = null
  /** How a stream failed: `told` with an error envelope at its end, or `cut` off. */
  #broke: 'told' | 'cut' | null = null
  #endedAt: number | null = null
  #bytes = 0
  #isWhole = true

  constructor(call: ServerRequest, deps: RecorderDependencies) {
    this.#deps = deps
    this.#method = call.method
    this.#target = call.target
    this.#headers = call.rawHeaders
    this.#startedAt = deps.now()
    this.#began = deps.clock()
    this.#revision = deps.revision()
    this.#budget = new TextBudget(deps.textMemory)
    this.#sequence = deps.ids.next(this.#startedAt)
  }

  get id(): string {
    return this.#deps.ids.toId(this.#sequence)
  }

  get isEnded(): boolean {
    return this.#endedAt !== null
  }

  onRoute(route: string, requestId: string): void {
    this.#route = route
    this.#requestId = requestId
    // Read again: the call may have waited for a reload.
    this.#revision = this.#deps.revision()
  }

  onAuthenticated(auth: RequestAuth | null): void {
    this.#auth = auth
  }

  onBody(body: string): void {
    this.#body = this.#budget.take(body)
  }

  onError(error: unknown): void {
    if (this.#hasThrown) return
    this.#hasThrown = true
    this.#thrown = error
  }

  onNestedRun(route: string, input: unknown): RunObserver {
    return this.#inner().open(route, input, 0)
  }

  onLog(level: RunLog['level'], message: string, fields: LogFields | undefined): void {
    this.#inner().log({ level, message, spanId: 0 }, fields)
  }

  onChunk(): void {
    // Only for nested runs: the chunks of a call are recorded as they are sent.
  }

  onEnd(): void {
    // Only for nested runs: a call ends with its answer.
  }

  answered(reply: Reply): Reply {
    const { ended, body } = reply
    const answer = (this.#answer = new RecordedResponse(reply, this.#budget, this.at()))
    if (answer.stream !== null && isReplyStream(body)) {
      reply.body = new RecordedStream(body, this, answer.stream)
      this.#deps.changed(this)
    }
    reply.ended = (bytes, isWhole) => {
      ended?.(bytes, isWhole)
      this.#end(bytes, isWhole)
    }
    return reply
  }

  at(): number {
    return this.#deps.clock() - this.#began
  }

  changed(): void {
    this.#deps.changed(this)
  }

  broke(isTold: boolean): void {
    this.#broke = isTold ? 'told' : 'cut'
  }

  /** There is no answer at all. */
  failed(error: unknown): void {
    this.onError(error)
    this.#end(0, false)
  }

  loadIdentity(): Promise<void> | null {
    return this.#auth === null ? null : this.#deps.identities.load(this.#auth)
  }

  release(): void {
    this.#budget.release()
  }

  summary(): RunSummary {
    const redactor = this.#deps.redactor()
    return {
      id: this.id,
      requestId: this.#requestId || (this.#answer?.requestId() ?? ''),
      route: this.#route,
      kind: this.#target.startsWith('/agent/') ? 'agent' : 'route',
      method: this.#method,
      target: redactor.target(this.#target),
      state: this.#state(),
      status: this.#answer?.status ?? 0,
      startedAt: this.#startedAt,
      ms: this.#endedAt === null ? null : toMillis(this.#endedAt),
      bytes: this.isEnded ? this.#bytes : (this.#answer?.bytes() ?? 0),
      chunks: this.#answer?.chunks() ?? 0,
      caller: callerOf(this.#headers),
      identity: this.#auth === null ? null : this.#deps.identities.get(this.#auth),
      error: this.#errorLine(),
      revision: this.#revision,
      isPinned: false,
    }
  }

  toRun(): Run {
    const redactor = this.#deps.redactor()
    return {
      ...this.summary(),
      request: {
        headers: redactor.headers(this.#headers),
        body: this.#body === null ? unreadBody(this.#headers) : toRunText(this.#body, redactor),
      },
      response: this.#answer?.toResponse(redactor) ?? null,
      pieces: this.#answer?.toChunks(redactor) ?? [],
      spans: this.#spans?.toSpans(redactor) ?? [],
      logs: this.#spans?.toLogs(redactor) ?? [],
      thrown: this.#error(),
      traceId: this.#traceId(),
      closed: null,
    }
  }

  #inner(): Spans {
    return (this.#spans ??= new Spans({
      budget: this.#budget,
      at: () => toMillis(this.at()),
      toError: (thrown) => this.#toError(thrown),
    }))
  }

  #toError(thrown: unknown): RunError {
    return redactError(toRunError(thrown, this.#deps.root), this.#deps.redactor())
  }

  /** Made once, as it reads source files. */
  #error(): RunError | null {
    return this.#hasThrown ? (this.#toldError ??= this.#toError(this.#thrown)) : null
  }

  #end(bytes: number, isWhole: boolean): void {
    if (this.#endedAt !== null) return
    this.#endedAt = this.at()
    this.#bytes = bytes
    this.#isWhole = isWhole
    this.#answer?.stream?.settle()
    this.#deps.changed(this)
  }

  #state(): RunState {
    if (!this.isEnded) return 'running'
    const status = this.#answer?.status ?? 500
    if (!this.#isWhole) return this.#hasServerFailed() ? 'failed' : 'cancelled'
    if (status >= 500 || this.#broke !== null) return 'failed'
    return status >= 400 ? 'refused' : 'done'
  }

  /** Did the server fail to complete the response? Otherwise the client disconnected. */
  #hasServerFailed(): boolean {
    const isAbort = this.#thrown instanceof Error && this.#thrown.name === 'AbortError'
    return this.#answer === null || (this.#broke === 'cut' && !isAbort)
  }

  #errorLine(): string | null {
    const thrown = this.#error()
    if (thrown !== null)
      return this.#deps.redactor().text(toErrorLine(`${thrown.code ?? thrown.name}: ${thrown.message}`))
    const told = this.#answer?.errorLine() ?? null
    return told === null ? null : this.#deps.redactor().text(told)
  }

  #traceId(): string | null {
    return /^\w\w-([0-9a-f]{32})-/.exec(headerIn(this.#headers, 'traceparent') ?? '')?.[1] ?? null
  }
}

/** A body that the handler read by itself, so that only its size is known. */
function unreadBody(headers: readonly string[]): RunText | null {
  const bytes = Number(headerIn(headers, 'content-length') ?? 0)
  return bytes > 0 ? { text: '', bytes, isCut: true } : null
}
