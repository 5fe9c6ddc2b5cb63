import { join } from 'node:path'
import { freePort, type NodeProcess, spawnNode } from '@sdk/test-kit'
import type { FrontTargets } from './front.ts'
import type { ServiceOptions } from './service.ts'

/** Processes that share an engine. */
export interface Fleet {
  /** The ports of the processes. */
  readonly ports: readonly number[]
  /** Kills a process and starts it again. */
  kill(index: number): Promise<void>
  /** Stops a process gracefully and starts it again. Resolves when it is ready. */
  restart(index: number): Promise<void>
  /** The output of all processes, without the line that they listen. */
  printed(): string
  end(): Promise<void>
}

/** Starts a number of processes. Resolves when they accept connections, ready or not. */
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

/** A load balancer in front of some processes. */
export interface Front {
  readonly port: number
  end(): Promise<unknown>
}

/** Starts a load balancer. */
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
