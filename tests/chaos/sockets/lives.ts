import { join } from 'node:path'
import { type Exit, freePort, type NodeProcess, spawnNode } from '@sdk/test-kit'
import type { Random } from '../../endurance/random.ts'
import { choose } from '../mode.ts'
import type { LifeOptions } from './server.ts'

/** The ways in which a process comes to its end. */
export const DEATHS = ['kill -9', 'SIGTERM', 'SIGSTOP, kill -9'] as const

/** A way in which a process comes to its end. */
export type Death = (typeof DEATHS)[number]

/** How long a process that is stopped stays so, before it is killed. */
const STOPPED_MS = choose(3_000, 1_500)
/** The next life begins at once, or up to so long later. */
const LATER_MS = 1_500
/** A death comes at any moment, not just after a receipt. */
const ANY_MS = 200

/** A server that lives again and again, on one port. */
export interface Lives {
  readonly port: number
  /** Ends this life, and begins the next one. */
  restart(death: Death): Promise<void>
  /** How the lives ended so far. */
  readonly exits: readonly Exit[]
  /** What all of them printed. */
  output(): string
  end(): Promise<void>
}

/** The number of restarts that a server will have, and the random numbers for them. */
export interface Restarts {
  readonly count: number
  readonly random: Random
}

/** Begins the first life. */
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
  // The next one gets ready meanwhile.
  let next = count > 0 ? standBy() : undefined

  return {
    port,
    exits,
    async restart(death) {
      const heir = await next
      if (heir === undefined) throw new Error(`more than ${count} restarts`)
      await later(random.below(ANY_MS))
      const ended = die(current, death)
      // One that ends gracefully has left the port long before its process ends.
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

/** Waits. */
export function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
