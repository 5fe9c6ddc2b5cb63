import { join } from 'node:path'
import { freePort, type NodeProcess, spawnNode } from '@sdk/test-kit'
import type { FrontTargets } from './front.ts'
import type { ServiceOptions } from './service.ts'

/** Processes that share an engine. */
export interface Fleet {
  /** Where each of them is. */
  readonly ports: readonly number[]
  /** Kills one of them, and starts it again. */
  kill(index: number): Promise<void>
  /** Ends one of them in peace, and starts it again; settles when it is ready. */
  restart(index: number): Promise<void>
  /** What all processes printed, except that they listen. */
  printed(): string
  end(): Promise<void>
}

/** Starts so many processes; settles when they serve, ready or not. */
export async function startFleet(count: number, options: Omit<ServiceOptions, 'port'>): Promise<Fleet> {
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const all: NodeProcess[] = []
  const start = async (port: number): Promise<NodeProcess> => {
    const started = await spawnNode({
      file: join(import.meta.dirname, 'service.ts'),
      args: [JSON.stringify({ ...options, port } satisfies ServiceOptions)],
      ready: /serves http:\S+/,
      env: { NODE_ENV: 'production' },
    })
    all.push(started)
    return started
  }
  const current = await Promise.all(ports.map(start))
  const replace = async (index: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    await current[index]?.stop(signal)
    current[index] = await start(ports[index] ?? 0)
  }

  return {
    ports,
    kill: (index) => replace(index, 'SIGKILL'),
    async restart(index) {
      await replace(index, 'SIGTERM')
      await untilReady(ports[index] ?? 0)
    },
    printed: () => all.map((one) => one.output().replaceAll(/serves http:\S+\n/g, '')).join(''),
    async end() {
      await Promise.all(current.map((one) => one.kill()))
    },
  }
}

/** A balancer before some processes. */
export interface Front {
  readonly port: number
  end(): Promise<unknown>
}

/** Starts a balancer. */
export async function startFront(targets: FrontTargets): Promise<Front> {
  const file = join(import.meta.dirname, 'front.ts')
  const balancer = await spawnNode({ file, args: [JSON.stringify(targets)] })
  return { port: Number(new URL(balancer.url).port), end: () => balancer.kill() }
}

/** Waits until a process is ready for requests. */
export async function untilReady(port: number): Promise<void> {
  for (;;) {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
