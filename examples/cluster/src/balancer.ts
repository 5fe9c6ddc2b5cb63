import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** Distributes connections across processes. Skips processes that are not ready, unless none is. */
export interface Balancer {
  readonly port: number
  close(): Promise<void>
}

/** The interval of the readiness checks, in ms. */
const EVERY_MS = 250

/** Listens on a port, and forwards each connection to one of the target ports on this machine. */
export async function startBalancer(port: number, targets: readonly number[]): Promise<Balancer> {
  const ready = new Set<number>()
  const open = new Set<Socket>()
  let turn = 0
  const server = createServer((near) => {
    open.add(near)
    near.on('close', () => open.delete(near))
    near.on('error', () => near.destroy())
    pass(near, inTurn())
  })
  const timer = setInterval(() => void Promise.all(targets.map(look)), EVERY_MS)
  await listen(server, port)
  return {
    port: addressOf(server),
    async close() {
      clearInterval(timer)
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }

  /** Returns the ready processes in round-robin order, or all processes if none is ready. */
  function inTurn(): number[] {
    const all = targets.filter((target) => ready.has(target))
    const candidates = all.length > 0 ? all : [...targets]
    turn += 1
    return candidates.map((_, index) => candidates[(index + turn) % candidates.length] ?? 0)
  }

  /** Forwards a connection. If a process refuses it, tries the next one. */
  function pass(near: Socket, [target, ...others]: readonly number[]): void {
    if (target === undefined) return void near.destroy()
    const far = connect(target, '127.0.0.1')
    far.once('connect', () => {
      near.pipe(far).pipe(near)
      near.on('close', () => far.destroy())
      far.on('close', () => near.destroy())
    })
    far.on('error', () => {
      ready.delete(target)
      if (far.bytesRead === 0 && far.connecting) pass(near, others)
      else near.destroy()
    })
  }

  async function look(target: number): Promise<void> {
    try {
      const { ok } = await fetch(`http://127.0.0.1:${target}/readyz`, { signal: AbortSignal.timeout(2_000) })
      if (ok) ready.add(target)
      else ready.delete(target)
    } catch {
      ready.delete(target) // not reachable
    }
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}

function addressOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
