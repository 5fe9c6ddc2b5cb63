import { createHash } from 'node:crypto'
import pg from 'pg'

/** A connection that is told of news, and comes back by itself. */
export interface Ear {
  close(): Promise<void>
}

/** What an ear works with. */
export interface EarParts {
  readonly url: string
  readonly channel: string
  /** Milliseconds to connect, and to answer when it is asked whether it lives. */
  readonly timeout: number
  /** Runs on each new connection, before it counts. */
  prepare(client: pg.Client): Promise<void>
  connected(): void
  disconnected(): void
  /** There is news of a stream, by its mark. */
  heard(mark: string): void
}

/** How often a quiet connection is asked whether it lives. */
const PULSE_MS = 5_000

/** What stands for a stream in a notice, which has no room for long names. */
export function markOf(stream: string): string {
  return createHash('md5').update(stream).digest('hex')
}

/** Listens to a channel, whatever happens, until it is closed. */
export function openEar(parts: EarParts): Ear {
  let isClosed = false
  let client: pg.Client | undefined
  let attempt = 0
  let timer: NodeJS.Timeout | undefined
  void connect()

  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      await client?.end().catch(() => {}) // as good as gone
    },
  }

  async function connect(): Promise<void> {
    const next = (client = createClient(parts))
    next.on('notification', ({ payload = '' }) => parts.heard(payload))
    // Emitted once, however the connection ended.
    next.once('end', () => lost(next))
    next.on('error', () => drop(next))
    try {
      await next.connect()
      await next.query(`listen ${parts.channel}`)
      await parts.prepare(next)
      if (isClosed) return void next.end()
      attempt = 0
      pulse(next)
      parts.connected()
    } catch {
      drop(next)
    }
  }

  /** Finds a connection that hangs. */
  function pulse(current: pg.Client): void {
    timer = setTimeout(() => {
      current.query('select 1').then(
        () => {
          if (client === current && !isClosed) pulse(current)
        },
        () => drop(current),
      )
    }, PULSE_MS).unref()
  }

  function drop(current: pg.Client): void {
    // Not waited for: a server that stands still would not answer the goodbye.
    void current.end().catch(() => {})
    ;(current as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
    lost(current)
  }

  function lost(current: pg.Client): void {
    if (client !== current) return
    client = undefined
    clearTimeout(timer)
    if (isClosed) return
    parts.disconnected()
    const delay = 50 + Math.random() * Math.min(1_000, 50 * 2 ** attempt)
    attempt += 1
    timer = setTimeout(() => void connect(), delay).unref()
  }
}

function createClient({ url, timeout }: EarParts): pg.Client {
  return new pg.Client({
    connectionString: url,
    application_name: 'sdk-engine-ear',
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
    keepAlive: true,
  })
}
