import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type NodeProcess, spawnNode, temporaryFolder } from '@sdk/test-kit'
import type { RunServiceOptions } from './service.ts'

/** Processes that execute runs in one database. */
export interface RunServices {
  /** The ports of the processes. A process that starts again has the same port. */
  readonly ports: readonly number[]
  process(index: number): NodeProcess
  /** Starts a process again after it has ended. */
  start(index: number): Promise<void>
  /** Kills a process and starts it again. */
  kill(index: number, signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Kills the processes in turn until some work is done. Returns the number of kills. */
  killUntil(work: Promise<unknown>, pauseMs: number): Promise<number>
  /** Returns the executed steps and aborted executions. */
  notes(): RunNote[]
  /** Returns what the processes have printed since the last call, so that a repeated test does not see it again. */
  printed(): string
  end(): Promise<void>
}

/** A line of a process's notes. */
export interface RunNote {
  readonly id: string
  readonly step: string
  readonly pid: number
}

/** Starts processes, all at once. */
export async function startRunServices(count: number, database: string): Promise<RunServices> {
  const folder = temporaryFolder('runs')
  const notes = join(folder.path, 'notes')
  writeFileSync(notes, '')
  const all: NodeProcess[] = []
  const current: NodeProcess[] = []
  /** The number of characters that `printed` has returned. */
  const read = new Map<NodeProcess, number>()
  const ports: number[] = []
  const process = (index: number): NodeProcess => current[index] as NodeProcess
  const start: RunServices['start'] = async (index) => {
    const file = join(import.meta.dirname, 'service.ts')
    const args = [JSON.stringify({ database, notes, port: ports[index] ?? 0 } satisfies RunServiceOptions)]
    const started = await spawnNode({ file, args, ready: /http:\S+/, env: { NODE_ENV: 'production' } })
    all.push(started)
    current[index] = started
    ports[index] = Number(new URL(started.url).port)
  }
  await Promise.all(Array.from({ length: count }, (_, index) => start(index)))
  const kill: RunServices['kill'] = async (index, signal = 'SIGKILL') => {
    await process(index).stop(signal)
    await start(index)
  }
  return {
    ports,
    process,
    start,
    kill,
    async killUntil(work, pauseMs) {
      const state = { isDone: false }
      const onDone = (): void => void (state.isDone = true)
      void work.then(onDone, onDone)
      // All processes serve during the pause. If one were killed as soon as another has started, none would live long
      // enough to finish a step, and five takeovers without a finished step fail a run.
      for (let kills = 0; ; kills++) {
        await Promise.race([sleep(pauseMs), work])
        if (state.isDone) return kills
        await kill(kills % count)
      }
    },
    notes: () => readFileSync(notes, 'utf8').split('\n').slice(0, -1).map(toNote),
    printed() {
      const texts = all.map((one) => one.output().slice(read.get(one) ?? 0))
      for (const one of all) read.set(one, one.output().length)
      return texts.join('').replaceAll(/serves http:\S+\n/g, '')
    },
    async end() {
      await Promise.all(current.map((one) => one.kill()))
      folder.remove()
    },
  }
}

function toNote(line: string): RunNote {
  const [id = '', step = '', pid] = line.split(' ')
  return { id, step, pid: Number(pid) }
}

/**
 * Returns the runs that executed a step more often than allowed: a takeover repeats at most the one step that was in
 * flight. `takeovers` returns the number of takeovers of a run.
 */
export function findRepeats(notes: readonly RunNote[], takeovers: (id: string) => number): string[] {
  const executed = new Map<string, string[]>()
  for (const { id, step } of notes) {
    const steps = executed.get(id) ?? []
    if (step !== 'aborted') steps.push(step)
    executed.set(id, steps)
  }
  return [...executed].flatMap(([id, steps]) => {
    const repeated = steps.length - new Set(steps).size
    return repeated <= takeovers(id) ? [] : [`${id}: ${repeated} repeated, ${takeovers(id)} takeovers`]
  })
}
