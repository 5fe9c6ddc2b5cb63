import type { ServerRequest, LogFields, RequestAuth, RunObserver } from '@sdk/server'
import type { SocketObserver } from '@sdk/server/node'
import type { Run, RunError, RunLog, RunState, RunSummary } from '../run.ts'
import { BaseRecorder } from './base-recorder.ts'
import { toErrorLine, type RecorderDependencies } from './recorder-dependencies.ts'
import { RecordedFrames } from './recorded-frames.ts'

/** A recorder for one socket connection. */
export class SocketRecorder extends BaseRecorder implements SocketObserver, RunObserver {
  readonly #requestId: string
  readonly #frames: RecordedFrames
  #status = 101
  #thrown: RunError | null = null
  #closed: { code: number; reason: string } | null = null

  constructor(call: ServerRequest, deps: RecorderDependencies) {
    super(call, deps)
    this.#requestId = call.header('x-request-id') ?? ''
    this.#frames = new RecordedFrames(deps.frameMemory)
  }

  identified(auth: RequestAuth | null): void {
    this.auth = auth
  }

  frame(text: string, from: 'client' | 'server'): void {
    if (this.isEnded) return
    this.#frames.add(text, from, this.at())
    this.changed()
  }

  onNestedRun(): RunObserver {
    return this
  }

  onLog(level: RunLog['level'], message: string, fields: LogFields | undefined): void {
    if (this.isEnded) return
    this.spans.log({ level, message, spanId: 0 }, fields)
    const { error, stack } = fields ?? {}
    // Errors thrown by a socket's handlers appear only in the log.
    if (level === 'error' && typeof stack === 'string')
      this.#thrown = this.toError(Object.assign(new Error(String(error)), { stack, name: /^\w+/.exec(stack)?.[0] }))
  }

  onChunk(): void {
    // Not used: sockets do not run agents.
  }

  refused(error: unknown): void {
    const { status } = error as { status?: unknown }
    this.#status = typeof status === 'number' ? status : 500
    this.#thrown = this.toError(error)
    this.end()
  }

  onClose(code: number, reason: string): void {
    if (this.isEnded) return
    this.#closed = { code, reason }
    this.end()
  }

  /** Ends the run once the connection has ended for any reason. */
  onEnd(): void {
    if (!this.isEnded) this.end()
  }

  override release(): void {
    super.release()
    this.#frames.release()
  }

  summary(): RunSummary {
    return {
      requestId: this.#requestId,
      route: this.target.split('?', 1)[0] ?? this.target,
      kind: 'socket',
      method: 'GET',
      state: this.#state(),
      status: this.#status,
      bytes: this.#frames.bytes,
      chunks: this.#frames.count,
      error: this.#errorLine(),
      ...this.baseSummary(),
    }
  }

  toRun(): Run {
    const redactor = this.deps.redactor()
    return {
      ...this.summary(),
      request: { headers: redactor.headers(this.headers), body: null },
      response: null,
      pieces: this.#frames.toChunks(redactor),
      spans: [],
      models: [],
      recordings: [],
      logs: this.spans.toLogs(redactor),
      thrown: this.#thrown,
      traceId: null,
      closed: this.#closed,
    }
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
    if (this.#thrown !== null) return this.toErrorLine(this.#thrown)
    return this.#closed !== null && this.#closed.code >= 1002 && this.#closed.code !== 1005
      ? toErrorLine(`closed with ${this.#closed.code} ${this.#closed.reason}`.trim())
      : null
  }
}

/** The close code for a connection that ended without a close frame. */
const ABNORMAL = 1006
