import type { RequestAuth, ServerRequest } from '@sdk/server'
import type { Run, RunError, RunSummary } from '../run.ts'
import type { RunRecorder } from '../store/run-store.ts'
import { callerOf } from './caller.ts'
import { toErrorLine, toMillis, type RecorderDependencies } from './recorder-dependencies.ts'
import { redactError, toRunError } from './run-error.ts'
import { Spans } from './spans.ts'
import { TextBudget } from './stored-text.ts'

/** The base class for recorders of calls and connections. */
export abstract class BaseRecorder implements RunRecorder {
  protected readonly deps: RecorderDependencies
  protected readonly target: string
  protected readonly headers: readonly string[]
  protected readonly budget: TextBudget
  protected revision: number
  protected auth: RequestAuth | null = null
  readonly #startedAt: number
  readonly #began: number
  readonly #sequence: number
  #endedAt: number | null = null
  #spans: Spans | null = null

  /** Copies values from the call, since storing the call itself would keep the entire request in memory. */
  constructor({ target, rawHeaders }: Pick<ServerRequest, 'target' | 'rawHeaders'>, deps: RecorderDependencies) {
    this.deps = deps
    this.target = target
    this.headers = rawHeaders
    this.revision = deps.revision()
    this.budget = new TextBudget(deps.textMemory)
    this.#startedAt = deps.now()
    this.#began = deps.clock()
    this.#sequence = deps.ids.next(this.#startedAt)
  }

  abstract summary(): RunSummary
  abstract toRun(): Run

  get id(): string {
    return this.deps.ids.toId(this.#sequence)
  }

  get isEnded(): boolean {
    return this.#endedAt !== null
  }

  /** Returns the time since the run started, in ms. */
  at(): number {
    return this.deps.clock() - this.#began
  }

  changed(): void {
    this.deps.changed(this)
  }

  load(): Promise<unknown> | null {
    const identity = this.auth === null ? null : this.deps.identities.load(this.auth)
    const recordings = this.#spans?.recordings.settle() ?? null
    return identity === null || recordings === null ? (identity ?? recordings) : Promise.all([identity, recordings])
  }

  release(): void {
    this.budget.release()
  }

  /** The nested runs and log lines. Created on first use, since most calls have none. */
  protected get spans(): Spans {
    return (this.#spans ??= new Spans({
      budget: this.budget,
      resume: () => this.resume(),
      changed: () => (this.isEnded ? this.deps.changedLate(this) : this.changed()),
      at: () => toMillis(this.at()),
      toError: (thrown) => this.toError(thrown),
    }))
  }

  /** Stores the run again if it has ended, since work of `waitUntil` and of durable runs goes on after the response. */
  protected resume(): void {
    if (!this.isEnded) return
    this.budget.reopen()
    this.deps.changedLate(this)
  }

  protected end(): void {
    this.#endedAt = this.at()
    this.changed()
  }

  protected baseSummary(): Pick<
    RunSummary,
    'id' | 'target' | 'startedAt' | 'ms' | 'caller' | 'identity' | 'revision' | 'isPinned'
  > {
    return {
      id: this.id,
      target: this.deps.redactor().target(this.target),
      startedAt: this.#startedAt,
      ms: this.#endedAt === null ? null : toMillis(this.#endedAt),
      caller: callerOf(this.headers),
      identity: this.auth === null ? null : this.deps.identities.get(this.auth),
      revision: this.revision,
      isPinned: false,
    }
  }

  protected toError(thrown: unknown): RunError {
    return redactError(toRunError(thrown, this.deps.root), this.deps.redactor())
  }

  protected toErrorLine({ code, name, message }: RunError): string {
    return this.deps.redactor().text(toErrorLine(`${code ?? name}: ${message}`))
  }
}
