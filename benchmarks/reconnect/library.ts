import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** An event of a client with its time: `over` means that it stopped retrying. */
export interface Sighting {
  readonly kind: 'attempt' | 'up' | 'down' | 'over' | 'sent'
  readonly at: number
  /** Only for `sent`: the number of messages that the library did not accept. */
  readonly refused?: number
}

/** The URL of a client, and what the server should do to it. */
export interface Target {
  readonly port: number
  readonly fault?: string
}

/** A client in the process of its library. */
export interface LibraryClient {
  readonly sightings: readonly Sighting[]
  /** Sends numbered messages from `first` on. Resolves when all are sent, with the number of rejected ones. */
  send(numbers: { first: number; count: number; perSecond: number }): Promise<number>
  /** Returns the next event of a kind after a time, or null after the timeout. */
  next(kind: Sighting['kind'], options: { since: number; withinMs: number }): Promise<Sighting | null>
  close(): void
}

/** A library in a separate process. */
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
