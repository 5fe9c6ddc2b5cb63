import type { Agent } from '../define/agent.ts'
import { never } from '../run/active-run.ts'
import type { ContextServices } from '../context/context.ts'
import { isStreamingAgent } from '../run/execute-run.ts'
import type { MemoryRunStore } from '../run/store/memory-run-store.ts'
import type { RunStore, RunWrite } from '../run/store/run-store.ts'
import { startInBackground } from '../run/start-background.ts'
import { Runner, type RunnerDependencies } from '../run/runner.ts'
import { chunksFrom } from '../run/follow-run.ts'
import type { StepInfo } from '../context/durable-context.ts'
import { momentsOf, type CrashMoment, type CrashPoint } from './crash-point.ts'

/** The observations made while processes execute runs. */
export interface CrashRecord {
  readonly moments: CrashMoment[]
  /** The moments at which processes crashed. */
  readonly crashes: CrashMoment[]
  /** The ids of the runs, in the order of their creation. */
  readonly ids: string[]
  /** How often the body of each step was called, by agent and step. */
  readonly bodies: Map<string, number>
  /** The chunks of each body that streams, by agent and step. */
  readonly yields: Map<string, unknown[]>
  /** The ends that were lost in a crash. */
  readonly lost: LostEnd[]
}

/** The results of a run whose end was not stored because its process crashed. */
export interface LostEnd {
  readonly id: string
  readonly output: string
  readonly chunks: readonly string[]
}

interface ProcessOptions {
  readonly store: MemoryRunStore
  readonly parts: RunnerDependencies
  readonly record: CrashRecord
  /** The point at which the process crashes, or null. */
  readonly point: CrashPoint | null
  /** Called when the process has crashed. */
  onCrash(): Promise<void>
}

/** The functions of `ctx` that a process no longer calls after a crash. */
const TOOLS: ReadonlySet<string | symbol> = new Set(['sleep', 'wait', 'start'])

/**
 * A process that executes runs and can crash. From then on, nothing that it asks of the store is answered, as in a
 * process that was killed: its handlers stop where they are, and no `catch` or `finally` block runs.
 */
export class CrashingProcess {
  readonly runner: Runner
  readonly #options: ProcessOptions
  #hasCrashed = false

  constructor(options: ProcessOptions) {
    this.#options = options
    const { parts } = options
    const agents = parts.agents.map((agent) => this.#watchAgent(agent))
    // The runs that a run starts are part of the test. Those of the app are in another store.
    const start: ContextServices['start'] = (call) => startInBackground(call, this.runner)
    const host = { ...parts.host, services: { ...parts.host.services, start } }
    this.runner = new Runner({ ...parts, agents, host, store: this.#watchStore() })
  }

  #watchStore(): RunStore {
    const { store, record } = this.#options
    const own: Partial<RunStore> = {
      write: (process, writes) => this.#write(process, writes),
      async create(run) {
        const created = await store.create(run)
        if (created.outcome === 'created') record.ids.push(created.id)
        return created
      },
    }
    return new Proxy<RunStore>(store, {
      get: (_target, name) => {
        const value: unknown = Reflect.get(own, name) ?? Reflect.get(store, name)
        if (typeof value !== 'function') return value
        const call = value.bind(store) as (...args: unknown[]) => unknown
        return (...args: unknown[]) => (this.#hasCrashed ? never() : call(...args))
      },
    })
  }

  async #write(process: string, writes: readonly RunWrite[]): Promise<readonly boolean[]> {
    const { store, point, onCrash } = this.#options
    for (const [at, write] of writes.entries()) {
      const moments = momentsOf(write)
      const hit = moments.findIndex(({ kind, name }) => this.#isPoint(write.id, kind, name))
      if (hit === -1) continue
      const last = moments[point?.side === 'after' ? hit : hit - 1]
      this.#hasCrashed = true
      await this.#keepLost(write)
      await store.write(process, [...writes.slice(0, at), ...(last === undefined ? [] : [last.part])])
      await store.leave(process)
      await onCrash()
      return never()
    }
    return store.write(process, writes)
  }

  async #keepLost({ id, chunks, end }: RunWrite): Promise<void> {
    const { store, point, record } = this.#options
    if (point?.kind !== 'end' || end === null || end.status === 'waiting') return
    record.lost.push({ id, output: end.output ?? '', chunks: [...(await readChunks(store, id)), ...chunks] })
  }

  /** Records a moment. Returns whether the process crashes there. */
  #isPoint(id: string, kind: CrashMoment['kind'], name: string): boolean {
    const { store, point, record } = this.#options
    const agent = store.unfinished().find((run) => run.id === id)?.agent ?? ''
    const isSame = (other: CrashMoment): boolean => other.kind === kind && other.agent === agent
    const moment = { kind, agent, name, number: record.moments.filter(isSame).length + 1 }
    record.moments.push(moment)
    if (point === null || !isSame(point) || point.number !== moment.number) return false
    record.crashes.push(moment)
    return true
  }

  #watchAgent(agent: Agent): Agent {
    const handler = agent.handler as (ctx: object, input: never) => unknown
    return {
      ...agent,
      stream: isStreamingAgent(agent),
      handler: (ctx: object, input: never) => handler(this.#watchContext(agent.name, ctx), input),
    }
  }

  #watchContext(agent: string, ctx: object): object {
    return new Proxy(ctx, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        if (name === 'step') return this.#watchSteps(agent, value as AnyStep)
        const call = value.bind(target) as (...args: unknown[]) => unknown
        return TOOLS.has(name) ? (...args: unknown[]) => (this.#hasCrashed ? never() : call(...args)) : call
      },
    })
  }

  #watchSteps(agent: string, step: AnyStep): AnyStep {
    const { bodies, yields } = this.#options.record
    const count = ({ key }: StepInfo): string => {
      const own = `${agent} ${key.slice(key.indexOf('/') + 1)}`
      bodies.set(own, (bodies.get(own) ?? 0) + 1)
      return own
    }
    const run: Step = (name, work, options) =>
      this.#hasCrashed ? never() : step(name, (info: StepInfo) => (count(info), work(info)), options)
    const stream: Step = (name, work, options) => {
      if (this.#hasCrashed) return { [Symbol.asyncIterator]: () => ({ next: never }) }
      const keep = (info: StepInfo): unknown =>
        keepChunks(work(info) as AsyncIterable<unknown>, (all) => yields.set(count(info), all))
      return step.stream(name, keep, options)
    }
    return Object.assign(run, { stream })
  }
}

type Step = (name: string, work: (info: StepInfo) => unknown, options?: unknown) => unknown
type AnyStep = Step & { stream: Step }

/** Returns the stored chunks of a run. */
export async function readChunks(store: MemoryRunStore, id: string): Promise<string[]> {
  const found = await store.read(id, 0)
  return found === null ? [] : chunksFrom(found, 0)
}

async function* keepChunks(
  source: AsyncIterable<unknown>,
  onStart: (all: unknown[]) => void,
): AsyncGenerator<unknown, unknown> {
  const all: unknown[] = []
  onStart(all)
  const chunks: AsyncIterator<unknown, unknown> = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await chunks.next()
      if (next.done === true) return next.value
      all.push(next.value)
      yield next.value
    }
  } finally {
    await chunks.return?.()
  }
}
