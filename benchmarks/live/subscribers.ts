import type { ServerProcess } from '../harness/server-process.ts'
import { type Crowd, openCrowd } from '../sockets/crowd.ts'
import { DIALECTS, type Dialect } from '../sockets/dialects.ts'

/** How the subscribers of a server talk to it. */
interface Protocol {
  readonly dialect: Dialect | undefined
  /** The number of messages before the first update. */
  readonly greetings: number
  /** Returns the message that subscribes to a list. */
  subscribe(query: Readonly<Record<string, unknown>>): object
}

const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  sdk: {
    dialect: DIALECTS['sdk'] && { ...DIALECTS['sdk'], path: '/ws/_live' },
    greetings: 1,
    subscribe: (query) => ({ sub: 1, route: 'GET /api/v1/tasks', query }),
  },
  socketio: { dialect: DIALECTS['socketio'], greetings: 1, subscribe: (query) => query },
  trpc: {
    dialect: DIALECTS['ws'] && { ...DIALECTS['ws'], path: '/' },
    greetings: 2,
    subscribe: (input) => ({ id: 1, jsonrpc: '2.0', method: 'subscription', params: { path: 'list', input } }),
  },
}

/** The subscribers of a server, one per connection. */
export interface Subscribers extends Pick<Crowd, 'close'> {
  /** The number of updates and their bytes so far. */
  readonly received: { updates: number; bytes: number }
  /** Resolves when this many updates have been received in total. Rejects if they take too long. */
  until(updates: number): Promise<void>
}

/** The maximum time until all updates of a change, or the first data of all subscribers, have been received, in ms. */
const MAX_WAIT_MS = 60_000

/** Opens subscribers, and waits until all have the first data. `queryOf` returns the list of a subscriber. */
export async function openSubscribers(
  { name, port }: ServerProcess,
  count: number,
  queryOf: (index: number) => Readonly<Record<string, unknown>>,
): Promise<Subscribers> {
  const protocol = PROTOCOLS[name.split('-')[0] ?? '']
  if (protocol?.dialect === undefined) throw new Error(`unknown server ${name}`)
  const received = { updates: -count * protocol.greetings, bytes: 0 }
  let target = { updates: Number.POSITIVE_INFINITY, resolve: (): void => {} }
  const until = async (updates: number): Promise<void> => {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve, reject) => {
      const expire = (): void =>
        reject(new Error(`${updates - received.updates} updates are missing after ${MAX_WAIT_MS} ms`))
      timer = setTimeout(expire, MAX_WAIT_MS)
      target = { updates, resolve }
      if (received.updates >= updates) resolve()
    }).finally(() => clearTimeout(timer))
  }
  const crowd = await openCrowd({
    port,
    dialect: protocol.dialect,
    size: count,
    onMessage(speaker, frame) {
      received.updates += 1
      if (received.updates > 0) received.bytes += frame.to - frame.from
      // A subscriber that was rejected would never receive an update.
      else assertAccepted(speaker.read(frame))
      if (received.updates >= target.updates) target.resolve()
    },
  })
  for (const [index, speaker] of crowd.speakers.entries())
    speaker.say(JSON.stringify(protocol.subscribe(queryOf(index))))
  await until(0)
  return { received, until, close: crowd.close }
}

function assertAccepted(message: unknown): void {
  const { error } = (message ?? {}) as { error?: unknown }
  if (error !== undefined) throw new Error(`a subscription was rejected: ${JSON.stringify(error)}`)
}
