import type { ServerRequest, LogFields, RequestAuth, RunObserver } from '@sdk/server'
import type { SocketObserver } from '@sdk/server/node'
import type { Run, RunError, RunLog, RunState, RunSummary } from '../run.ts'
import type { RunRecorder } from '../store/run-store.ts'
import { callerOf } from './caller.ts'
import { toErrorLine, toMillis, type RecorderDependencies } from './recorder-dependencies.ts'
import { RecordedFrames } from './recorded-frames.ts'
import { redactError, toRunError } from './run-error.ts'
import { Spans } from './spans.ts'
import { TextBudget } from './stored-text.ts'

/** One connection of a socket, while it is recorded. */
export class SocketRecorder implements SocketObserver, RunObserver, RunRecorder {
  readonly id: string
  readonly #deps: RecorderDependencies
  readonly #call: Pick<ServerRequest, 'target' | 'rawHeaders'>
  readonly #requestId: string
  readonly #startedAt: number
  readonly #began: number
  readonly #budget: TextBudget
  readonly #frames: RecordedFrames
  readonly #logs: Spans
  readonly #revision: number
  #status = 101
  #auth: RequestAuth | null = null
  #thrown: RunError | null = null
  #closed: { code: number; reason: string } | null = null
  #endedAt: number | null = null

  constructor(call: ServerRequest, deps: RecorderDependencies) {
    const { target, rawHeaders } = call
    this.#deps = deps
    // Not the call itself, which would keep the whole handshake in memory.
    this.#call = { target, rawHeaders }
    this.#requestId = call.header('x-request-id') ?? ''
    this.#startedAt = deps.now()
    this.#began = deps.clock()
    this.#revision = deps.revision()
    this.#budget = new TextBudget(deps.textMemory)
    this.#frames = new RecordedFrames(deps.frameMemory)
    this.#logs = new Spans({ budget: this.#budget, at: () => this.#at(), toError: (thrown) => this.#toError(thrown) })
    this.id = deps.ids.toId(deps.ids.next(this.#startedAt))
  }

  get isEnded(): boolean {
    return this.#endedAt !== null
  }

  identified(auth: RequestAuth | null): void {
    this.#auth = auth
  }

  frame(text: string, from: 'client' | 'server'): void {
    if (this.isEnded) return
    this.#frames.add(text, from, this.#at())
    this.#deps.changed(this)
  }

  onNestedRun(): RunObserver {
    return this
  }

  onLog(level: RunLog['level'], message: string, fields: LogFields | undefined): void {
    if (this.isEnded) return
    this.#logs.log({ level, message, spanId: 0 }, fields)
    const { error, stack } = fields ?? {}
    // Errors of a socket's handlers are only in the log.
    if (level === 'error' && typeof stack === 'string')
      this.#thrown = this.#toError(Object.assign(new Error(String(error)), { stack, name: /^\w+/.exec(stack)?.[0] }))
  }

  onChunk(): void {
    // Sockets run no agents.
  }

  refused(error: unknown): void {
    const { status } = error as { status?: unknown }
    this.#status = typeof status === 'number' ? status : 500
    this.#thrown = this.#toError(error)
    this.#end()
  }

  onClose(code: number, reason: string): void {
    if (this.isEnded) return
    this.#closed = { code, reason }
    this.#end()
  }

  /** The connection has ended, for whatever reason. */
  onEnd(): void {
    if (!this.isEnded) this.#end()
  }

  loadIdentity(): Promise<void> | null {
    return this.#auth === null ? null : this.#deps.identities.load(this.#auth)
  }

  release(): void {
    this.#budget.release()
    this.#frames.release()
  }

  summary(): RunSummary {
    const { target, rawHeaders } = this.#call
    return {
      id: this.id,
      requestId: this.#requestId,
      route: target.split('?', 1)[0] ?? target,
      kind: 'socket',
      method: 'GET',
      target: this.#deps.redactor().target(target),
      state: this.#state(),
      status: this.#status,
      startedAt: this.#startedAt,
      ms: this.#endedAt,
      bytes: this.#frames.bytes,
      chunks: this.#frames.count,
      caller: callerOf(rawHeaders),
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
      request: { headers: redactor.headers(this.#call.rawHeaders), body: null },
      response: null,
      pieces: this.#frames.toChunks(redactor),
      spans: [],
      logs: this.#logs.toLogs(redactor),
      thrown: this.#thrown,
      traceId: null,
      closed: this.#closed,
    }
  }

  #at(): number {
    return toMillis(this.#deps.clock() - this.#began)
  }

  #toError(thrown: unknown): RunError {
    return redactError(toRunError(thrown, this.#deps.root), this.#deps.redactor())
  }

  #end(): void {
    this.#endedAt = this.#at()
    this.#deps.changed(this)
  }

  #state(): RunState {
    if (!this.isEnded) return 'running'
    if (this.#status !== 101) return this.#status >= 500 ? 'failed' : 'refused'
    if (this.#thrown !== null) return 'failed'
    const code = this.#closed?.code ?? ABNORMAL
    if (code === ABNORMAL) return 'cancelled'
    if (code === 1011 || code >= 4500) return 'failed'
    return code >= 4400 ? 'refused' : 'done'
  }

  #errorLine(): string | null {
    if (this.#thrown !== null) {
      const { code, name, message } = this.#thrown
      return this.#deps.redactor().text(toErrorLine(`${code ?? name}: ${message}`))
    }
    return this.#closed !== null && this.#closed.code >= 1002 && this.#closed.code !== 1005
      ? toErrorLine(`closed with ${this.#closed.code} ${this.#closed.reason}`.trim())
      : null
  }
}

/** The connection broke without a close frame. */
const ABNORMAL = 1006
