import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** What a client saw, and when: `over` means that it will not try again by itself. */
export interface Sighting {
  readonly kind: 'attempt' | 'up' | 'down' | 'over' | 'sent'
  readonly at: number
  /** Only of `sent`: messages that the library did not take. */
  readonly refused?: number
}

/** Where a client connects, and what it asks the server to do to it. */
export interface Target {
  readonly port: number
  readonly fault?: string
}

/** A client in the process of its library. */
export interface LibraryClient {
  readonly sightings: readonly Sighting[]
  /** Sends the numbers from `first` on; settles when all are sent, with how many were not taken. */
  send(numbers: { first: number; count: number; perSecond: number }): Promise<number>
  /** The next sighting of a kind from a moment on, or null where none comes in time. */
  next(kind: Sighting['kind'], options: { since: number; withinMs: number }): Promise<Sighting | null>
  close(): void
}

/** A library, in a process of its own. */
export interface Library {
  readonly name: string
  /** The modules of its servers in `servers/`. */
  readonly server: string
  readonly faulty: string
  open(target: Target): LibraryClient
  stop(): void
}

const SERVERS: Readonly<Record<string, string>> = { sdk: 'sdk', 'socket.io': 'socket.io' }

/** Starts the process of a library's clients. */
export async function startLibrary(name: string): Promise<Library> {
  const child = fork(join(import.meta.dirname, 'clients/main.mjs'), [name], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  const listeners: Listeners = new Map()
  child.on('message', ({ id, ...sighting }: Sighting & { id: string }) => listeners.get(id)?.(sighting))
  return {
    name,
    server: SERVERS[name] ?? 'ws',
    faulty: name === 'socket.io' ? 'faulty-socket.io' : 'faulty-ws',
    open: (target) => openClient(child, listeners, target),
    stop: () => void child.kill('SIGKILL'),
  }
}

type Listeners = Map<string, (sighting: Sighting) => void>

function openClient(child: ChildProcess, listeners: Listeners, { port, fault }: Target): LibraryClient {
  const id = `${child.pid}-${listeners.size}`
  const sightings: Sighting[] = []
  const waiting = new Set<() => void>()
  listeners.set(id, (sighting) => {
    sightings.push(sighting)
    for (const look of waiting) look()
  })
  const query = { client: id, ...(fault !== undefined && { fault }) }
  child.send({ task: 'open', id, base: `http://127.0.0.1:${port}`, query })

  return {
    sightings,
    async send(numbers) {
      const since = Date.now()
      child.send({ task: 'send', id, ...numbers })
      const sent = await next('sent', { since, withinMs: 120_000 })
      return sent?.refused ?? numbers.count
    },
    next,
    close: () => void child.send({ task: 'close', id }),
  }

  function next(
    kind: Sighting['kind'],
    { since, withinMs }: { since: number; withinMs: number },
  ): Promise<Sighting | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(null), Math.max(0, since + withinMs - Date.now()))
      const look = (): void => {
        const found = sightings.find((one) => one.kind === kind && one.at >= since)
        if (found !== undefined) done(found)
      }
      const done = (found: Sighting | null): void => {
        clearTimeout(timer)
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  }
}
