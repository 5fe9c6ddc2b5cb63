import { isDeepStrictEqual } from 'node:util'
import type { Random } from '../endurance/random.ts'
import { type LiveClient, openLiveClient } from './live-client.ts'
import { type ListRequest, read, toRandomList } from './random-list.ts'
import { USERS } from './world.ts'

/** The time in which a live list must equal the response to GET: clients may wait seconds before they reconnect. */
const PATIENCE_MS = 30_000

/** Live lists that are compared with GET. */
export interface Comparison {
  /** Subscribes to a random list. */
  add(random: Random): Promise<void>
  /** Ends a random subscription, and adds another one. */
  replaceOne(random: Random): Promise<void>
  /**
   * Compares all lists with the responses to GET. The rows must not change meanwhile. Throws an error if a list is not
   * equal in time. Lists with `count=true`, which change at most once a second, can be left out.
   */
  compare(options?: { readonly isCounting: boolean }): Promise<void>
  /** The number of comparisons so far. */
  count(): number
  /** The violations of the protocol. */
  problems(): readonly string[]
  /** The longest time until a list was equal, in ms. */
  longest(): number
  /** The clients, by user. */
  readonly clients: ReadonlyMap<string, LiveClient>
  close(): void
}

interface Compared {
  readonly request: ListRequest
  readonly client: LiveClient
  readonly sub: number
}

/** Opens a client for each user. `urlOf` returns the server of a user, and `url` that of GET requests. */
export function createComparison(url: string, urlOf: (user: string) => string = () => url): Comparison {
  const clients = new Map(USERS.map((user) => [user as string, openLiveClient({ url: urlOf(user), token: user })]))
  const lists: Compared[] = []
  const wrong: string[] = []
  let count = 0
  let longest = 0

  async function add(random: Random): Promise<void> {
    const request = await toRandomList(url, random)
    const client = clients.get(request.user)
    if (client === undefined) throw new TypeError(`unknown user ${request.user}`)
    const { user: _user, ...subscribed } = request
    lists.push({ request, client, sub: client.subscribe(subscribed) })
  }
  async function compareOne({ request, client, sub }: Compared, started: number): Promise<void> {
    let expected = await read(url, request)
    // A database that has just restarted is not reachable at once.
    while (expected.status === 503 && performance.now() - started < PATIENCE_MS) expected = await read(url, request)
    const isEqual = (): boolean => {
      const { body, status } = client.data(sub)
      return isDeepStrictEqual({ body, status }, expected)
    }
    // An error ends a subscription, for example when its row was deleted. If there is a row again, subscribe again.
    if (client.data(sub).status !== null && !isEqual()) client.renew(sub)
    while (!isEqual() && performance.now() - started < PATIENCE_MS)
      await new Promise((resolve) => setTimeout(resolve, 5))
    count += 1
    if (isEqual()) longest = Math.max(longest, performance.now() - started)
    else wrong.push(describe(request, expected, client.data(sub)))
  }
  return {
    add,
    async replaceOne(random) {
      const [ended] = lists.splice(random.below(lists.length), 1)
      ended?.client.end(ended.sub)
      await add(random)
    },
    async compare({ isCounting } = { isCounting: true }) {
      const started = performance.now()
      const compared = lists.filter(({ request }) => isCounting || request.query['count'] === undefined)
      await Promise.all(compared.map((one) => compareOne(one, started)))
      if (wrong.length > 0) throw new Error(`${wrong.length} of ${count} lists are wrong:\n${wrong.join('\n')}`)
    },
    count: () => count,
    problems: () => Array.from(clients.values(), ({ problems }) => problems).flat(),
    longest: () => Math.round(longest),
    clients,
    close() {
      for (const { close } of clients.values()) close()
    },
  }
}

function describe(
  request: ListRequest,
  expected: object,
  { body, status }: { body: unknown; status: unknown },
): string {
  const texts = [request, expected, { body, status }].map((value) => JSON.stringify(value))
  return `${texts[0]}\n  GET:  ${texts[1]}\n  live: ${texts[2]}`
}
