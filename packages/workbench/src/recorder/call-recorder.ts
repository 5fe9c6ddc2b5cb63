import type { ServerRequest, RequestObserver, Reply, RequestAuth } from '@sdk/server'
import { isReplyStream, RUN_ID_HEADER } from '@sdk/server/node'
import type { Run, RunError, RunState, RunSummary, RunText } from '../run.ts'
import { RecordedResponse } from './recorded-response.ts'
import { headerIn } from './caller.ts'
import { HandlerRecorder } from './handler-recorder.ts'
import type { RecorderDependencies } from './recorder-dependencies.ts'
import { isRejection } from './run-error.ts'
import { toRunText, type StoredText } from './stored-text.ts'
import { RecordedStream, type StreamObserver } from './recorded-stream.ts'

const MAX_CLIENT = 100

/**
 * A recorder for one call. It stores raw values and builds a `Run` from them only on demand, since a busy server drops
 * most calls before they are needed.
 */
export class CallRecorder extends HandlerRecorder implements RequestObserver, StreamObserver {
  readonly #method: string
  #requestId = ''
  #route: string | null = null
  #body: StoredText | null = null
  #answer: RecordedResponse | null = null
  /** The route that a client calls as a tool, and the client's name. Null if it calls none, or several. */
  #tool: { readonly route: string; readonly client: string } | null = null
  #toolCalls = 0
  #hasThrown = false
  #thrown: unknown
  #cachedError: RunError | null = null
  /** Whether the call executed the handler of a durable run, and whether the handler failed. */
  #durable: 'none' | 'executed' | 'failed' = 'none'
  /** How a stream failed: `reported` if an error envelope at its end reports the error, `cut` if it ended abruptly. */
  #broke: 'reported' | 'cut' | null = null
  #bytes = 0
  #isWhole = true

  constructor(call: ServerRequest, deps: RecorderDependencies) {
    super(call, deps)
    this.#method = call.method
  }

  onRoute(route: string, requestId: string): void {
    this.#route = route
    this.#requestId = requestId
    // Read the revision again, since the code may have been reloaded while the call was waiting.
    this.revision = this.deps.revision()
  }

  onAuthenticated(auth: RequestAuth | null): void {
    this.auth = auth
  }

  onBody(body: string): void {
    this.#body = this.budget.take(body)
  }

  onError(error: unknown): void {
    if (this.#hasThrown) return
    this.#hasThrown = true
    this.#thrown = error
  }

  onToolCall(route: string, client: string | null): void {
    this.#toolCalls += 1
    this.#tool = this.#toolCalls === 1 ? { route, client: (client ?? '').trim().slice(0, MAX_CLIENT) } : null
    this.changed()
  }

  onChunk(): void {
    // Only relevant for nested runs: the chunks of a call are recorded when they are sent.
  }

  /** Called only for durable runs, whose response does not contain the thrown error. Any other call ends with its response. */
  onEnd({ error }: { error?: unknown }): void {
    this.resume()
    const hasFailed = error !== undefined && !isAbort(error)
    this.#durable = hasFailed ? 'failed' : 'executed'
    if (!hasFailed) return
    this.#hasThrown = true
    this.#thrown = error
    this.#cachedError = null
  }

  answered(reply: Reply): Reply {
    const { ended, body } = reply
    const answer = (this.#answer = new RecordedResponse(reply, this.budget, this.at()))
    if (answer.stream !== null && isReplyStream(body)) {
      reply.body = new RecordedStream(body, this, answer.stream)
      this.changed()
    }
    reply.ended = (bytes, isWhole) => {
      ended?.(bytes, isWhole)
      this.#end(bytes, isWhole)
    }
    return reply
  }

  broke(isReported: boolean): void {
    this.#broke = isReported ? 'reported' : 'cut'
  }

  /** Ends the run when no response could be sent. */
  failed(error: unknown): void {
    this.onError(error)
    this.#end(0, false)
  }

  summary(): RunSummary {
    const tool = this.#tool
    const base = this.baseSummary()
    const durableRun = this.#durable === 'none' ? null : (this.#answer?.header(RUN_ID_HEADER) ?? null)
    return {
      ...base,
      ...(durableRun !== null && { durableRun }),
      requestId: this.#requestId || (this.#answer?.requestId() ?? ''),
      route: tool?.route ?? this.#route,
      ...(tool !== null && this.#route !== null && { via: this.#route }),
      caller: tool?.client || base.caller,
      kind: (tool?.route ?? `${this.#method} ${this.target}`).startsWith('POST /agent/') ? 'agent' : 'route',
      method: this.#method,
      state: this.#state(),
      status: this.#answer?.status ?? 0,
      bytes: this.isEnded ? this.#bytes : (this.#answer?.bytes() ?? 0),
      chunks: this.#answer?.chunks() ?? 0,
      error: this.#errorLine(),
    }
  }

  toRun(): Run {
    const redactor = this.deps.redactor()
    return {
      ...this.summary(),
      request: {
        headers: redactor.headers(this.headers),
        body: this.#body === null ? unreadBody(this.headers) : toRunText(this.#body, redactor),
      },
      response: this.#answer?.toResponse(redactor) ?? null,
      pieces: this.#answer?.toChunks(redactor) ?? [],
      spans: this.spans.toSpans(redactor),
      models: this.spans.models.toSteps(redactor),
      recordings: this.spans.recordings.toRecordings(redactor),
      logs: this.spans.toLogs(redactor),
      thrown: this.#error(),
      traceId: /^\w\w-([0-9a-f]{32})-/.exec(headerIn(this.headers, 'traceparent') ?? '')?.[1] ?? null,
      closed: null,
    }
  }

  /** Returns the error. It is created only once, since creating it reads source files. */
  #error(): RunError | null {
    return this.#hasThrown ? (this.#cachedError ??= this.toError(this.#thrown)) : null
  }

  #end(bytes: number, isWhole: boolean): void {
    if (this.isEnded) return
    this.#bytes = bytes
    this.#isWhole = isWhole
    this.#answer?.stream?.settle()
    this.end()
  }

  #state(): RunState {
    if (!this.isEnded) return 'running'
    if (this.#durable === 'failed') return isRejection(this.#thrown) ? 'refused' : 'failed'
    const status = this.#answer?.status ?? 500
    if (!this.#isWhole) return this.#hasServerFailed() ? 'failed' : 'cancelled'
    if (status >= 500 || this.#broke !== null) return 'failed'
    // The response to a failed tool call has the status 200.
    if (this.#tool !== null && this.#hasThrown) return isRejection(this.#thrown) ? 'refused' : 'failed'
    return status >= 400 ? 'refused' : 'done'
  }

  /** Returns whether the server failed to complete the response. If not, the client disconnected. */
  #hasServerFailed(): boolean {
    return this.#answer === null || (this.#broke === 'cut' && !isAbort(this.#thrown))
  }

  #errorLine(): string | null {
    const thrown = this.#error()
    if (thrown !== null) return this.toErrorLine(thrown)
    const line = this.#answer?.errorLine() ?? null
    return line === null ? null : this.deps.redactor().text(line)
  }
}

function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'AbortError'
}

/** Describes a body that the handler read itself. Only its size is known. */
function unreadBody(headers: readonly string[]): RunText | null {
  const bytes = Number(headerIn(headers, 'content-length') ?? 0)
  return bytes > 0 ? { text: '', bytes, isCut: true } : null
}
