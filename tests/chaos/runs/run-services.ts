import { join } from 'node:path'
import { freePort, type NodeProcess, spawnNode } from '@sdk/test-kit'
import type { RunServiceOptions } from './service.ts'

/** Processes that execute runs in one database. */
export interface RunServices {
  readonly ports: readonly number[]
  process(index: number): NodeProcess
  /** Kills a process and starts it again. */
  kill(index: number, signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>
  printed(): string
  end(): Promise<void>
}

/** Starts processes. */
export async function startRunServices(count: number, options: Omit<RunServiceOptions, 'port'>): Promise<RunServices> {
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const all: NodeProcess[] = []
  const start = async (port: number): Promise<NodeProcess> => {
    const file = join(import.meta.dirname, 'service.ts')
    const args = [JSON.stringify({ ...options, port } satisfies RunServiceOptions)]
    const started = await spawnNode({ file, args, ready: /serves http:\S+/, env: { NODE_ENV: 'production' } })
    all.push(started)
    return started
  }
  const current = await Promise.all(ports.map(start))
  const process = (index: number): NodeProcess => current[index] as NodeProcess
  return {
    ports,
    process,
    async kill(index, signal = 'SIGKILL') {
      await process(index).stop(signal)
      current[index] = await start(ports[index] ?? 0)
    },
    printed: () => all.map((one) => one.output().replaceAll(/serves http:\S+\n/g, '')).join(''),
    async end() {
      await Promise.all(current.map((one) => one.kill()))
    },
  }
}
