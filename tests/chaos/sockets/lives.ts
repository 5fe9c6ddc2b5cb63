import { join } from 'node:path'
import { type Exit, freePort, type NodeProcess, spawnNode } from '@sdk/test-kit'
import type { Random } from '../../endurance/random.ts'
import { choose } from '../mode.ts'
import type { LifeOptions } from './server.ts'

/** The ways in which a process ends. */
export const DEATHS = ['kill -9', 'SIGTERM', 'SIGSTOP, kill -9'] as const

/** A way in which a process ends. */
export type Death = (typeof DEATHS)[number]

/** How long a process is suspended before it is killed. */
const STOPPED_MS = choose(3_000, 1_500)
/** The maximum delay before the next process starts. */
const LATER_MS = 1_500
/** The maximum delay before a process is ended, so that it does not always end right after an ack. */
const ANY_MS = 200

/** A server that is restarted repeatedly on one port. */
export interface Lives {
  readonly port: number
  /** Ends the current process and starts the next one. */
  restart(death: Death): Promise<void>
  /** The ways in which the processes ended so far. */
  readonly exits: readonly Exit[]
  /** The output of all processes. */
  output(): string
  end(): Promise<void>
}

/** The number of restarts of a server, and their random numbers. */
export interface Restarts {
  readonly count: number
  readonly random: Random
}

/** Starts the first process. */
export async function startLives(options: Omit<LifeOptions, 'port'>, { count, random }: Restarts): Promise<Lives> {
  const port = await freePort()
  const all: NodeProcess[] = []
  const exits: Exit[] = []
  const standBy = async (): Promise<NodeProcess> => {
    const next = await spawnNode({
      file: join(import.meta.dirname, 'server.ts'),
      args: [JSON.stringify({ ...options, port } satisfies LifeOptions)],
      ready: /stands by/,
      env: { NODE_ENV: 'production' },
    })
    all.push(next)
    return next
  }
  const begin = async (life: NodeProcess): Promise<NodeProcess> => {
    life.signal('SIGUSR2')
    await life.waitFor(/http:\S+/)
    return life
  }
  let current = await begin(await standBy())
  // The next process starts meanwhile.
  let next = count > 0 ? standBy() : undefined

  return {
    port,
    exits,
    async restart(death) {
      const heir = await next
      if (heir === undefined) throw new Error(`more than ${count} restarts`)
      await later(random.below(ANY_MS))
      const ended = die(current, death)
      // A process that shuts down gracefully releases the port long before it exits.
      if (death !== 'SIGTERM') await ended
      await later(random.below(2) * random.below(LATER_MS))
      next = exits.length + 1 < count ? standBy() : undefined
      current = await begin(heir)
      exits.push(await ended)
    },
    output: () => all.map((life) => life.output()).join(''),
    async end() {
      await next
      await Promise.all(all.map((life) => life.kill()))
    },
  }
}

async function die(life: NodeProcess, death: Death): Promise<Exit> {
  if (death === 'SIGTERM') return life.stop('SIGTERM')
  if (death === 'SIGSTOP, kill -9') {
    life.signal('SIGSTOP')
    await later(STOPPED_MS)
  }
  return life.stop('SIGKILL')
}

/** Waits for a number of ms. */
export function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
