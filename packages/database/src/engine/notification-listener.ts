import { createHash } from 'node:crypto'
import { retryDelay } from '@sdk/server/engine'
import pg from 'pg'

/** Options for a connection that receives notifications and reconnects automatically. */
export interface NotificationListenerOptions {
  /** The URL of the server, or the settings of its connections. */
  readonly url: string | pg.ClientConfig
  readonly channel: string
  /** The name of the connection in `pg_stat_activity`. @default 'sdk-engine-ear' */
  readonly name?: string
  /** The timeout for connecting and for a reply to a heartbeat, in ms. */
  readonly timeout: number
  /** Called for each new connection before it is used. */
  prepare(client: pg.Client): Promise<void>
  connected(): void
  disconnected(): void
  /** Called with the channel key of a stream that has new messages. */
  onNotification(key: string): void
}

/** The interval between heartbeats, in ms. */
const HEARTBEAT_MS = 5_000

/** Returns the key that identifies a stream in notifications, which cannot contain long names. */
export function channelKey(stream: string): string {
  return createHash('md5').update(stream).digest('hex')
}

/** Listens to a channel until the listener is closed, and reconnects automatically. */
export function openNotificationListener(options: NotificationListenerOptions): { close(): Promise<void> } {
  let isClosed = false
  let client: pg.Client | undefined
  let attempt = 0
  let timer: NodeJS.Timeout | undefined
  void connect()

  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      await client?.end().catch(() => {}) // fails if the connection is already lost
    },
  }

  async function connect(): Promise<void> {
    const next = (client = createListenClient(options))
    next.on('notification', ({ payload = '' }) => options.onNotification(payload))
    // Emitted once, regardless of how the connection ended.
    next.once('end', () => onLost(next))
    next.on('error', () => drop(next))
    try {
      await next.connect()
      await next.query(`listen ${options.channel}`)
      await options.prepare(next)
      if (isClosed) return void next.end()
      attempt = 0
      scheduleHeartbeat(next)
      options.connected()
    } catch {
      drop(next)
    }
  }

  /** Schedules a heartbeat, which detects a stalled connection. */
  function scheduleHeartbeat(current: pg.Client): void {
    const onAlive = (): void => {
      if (client === current && !isClosed) scheduleHeartbeat(current)
    }
    const check = (): unknown => current.query('select 1').then(onAlive, () => drop(current))
    timer = setTimeout(check, HEARTBEAT_MS).unref()
  }

  function drop(current: pg.Client): void {
    // Not awaited, since a stalled server would not respond to the termination message.
    void current.end().catch(() => {})
    ;(current as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
    onLost(current)
  }

  function onLost(current: pg.Client): void {
    if (client !== current) return
    client = undefined
    clearTimeout(timer)
    if (isClosed) return
    options.disconnected()
    timer = setTimeout(() => void connect(), retryDelay(attempt)).unref()
    attempt += 1
  }
}

function createListenClient({ url, name = 'sdk-engine-ear', timeout }: NotificationListenerOptions): pg.Client {
  return new pg.Client({
    ...(typeof url === 'string' ? { connectionString: url } : url),
    application_name: name,
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
    keepAlive: true,
  })
}
