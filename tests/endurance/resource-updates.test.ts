import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { errorsOf, type JsonResponse, must, send, type ServerOfStores, startStores, STORES } from './resource-client.ts'
import type { Counter } from './resource-server.ts'

const CLIENTS = choose(50, 12)
/** The number of attempts of each client. */
const TRIES = choose(8, 3)
/** The number of changes of each client that sends no version. */
const CHANGES = 2
const SHADES = choose(15, 4)
/** Fields with one writer each, which writes 1, 2 and so on. */
const COLOURS = ['red', 'green', 'blue'] as const

const PATH = '/api/v1/counters'

let servers: ServerOfStores
beforeAll(async () => {
  servers = await startStores()
})
afterAll(() => servers?.process.kill())

describe.each(STORES)(`${CLIENTS} clients that change one row at the same time: %s`, (store) => {
  it('lose no update if each sends If-Match', async () => {
    const item = await createCounter(servers[store])
    const kept: number[] = []
    const statuses = new Map<number, number>()
    await together(CLIENTS, async () => {
      let known = await send<Counter>(servers[store], `GET ${item}`)
      for (let tries = 0; tries < TRIES; tries++) {
        const response = await addOne(servers[store], item, known)
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        if (response.status === 200) kept.push(response.body.count)
        known = response.status === 200 ? response : await send<Counter>(servers[store], `GET ${item}`)
      }
    })
    const { count } = await must(200, send<Counter>(servers[store], `GET ${item}`))
    expect(count).toBe(statuses.get(200))
    // Each successful update has a different number: no response was for the update of another client.
    expect(kept.toSorted((one, other) => one - other)).toEqual(Array.from({ length: count }, (_, at) => at + 1))
    expect(new Set(statuses.keys())).toEqual(new Set([200, 412]))
    expect(count).toBeGreaterThanOrEqual(TRIES)
  })

  it('leave no partial updates without If-Match, and do not undo each other', async () => {
    const item = await createCounter(servers[store])
    const seen: Counter[] = []
    const undone: string[] = []
    const patch = async (body: Partial<Counter>): Promise<Counter> => {
      const row = await must(200, send<Counter>(servers[store], `PATCH ${item}`, { body }))
      seen.push(row)
      // The response contains the row as of this change.
      for (const [name, value] of Object.entries(body))
        if (row[name as keyof Counter] !== value)
          undone.push(`${name} became ${row[name as keyof Counter]}, not ${value}`)
      return row
    }
    const pairs = together(CLIENTS, async (client) => {
      for (let tries = 1; tries <= CHANGES; tries++)
        await patch({ left: client * 100 + tries, right: client * 100 + tries })
    })
    const colours = together(COLOURS.length, async (client) => {
      const colour = COLOURS[client] ?? 'red'
      for (let value = 1; value <= SHADES; value++) {
        await patch({ [colour]: value })
        const now = await must(200, send<Counter>(servers[store], `GET ${item}`))
        if (now[colour] !== value) undone.push(`${colour} was ${value}, then ${now[colour]}`)
        seen.push(now)
      }
    })
    await Promise.all([pairs, colours])
    seen.push(await must(200, send<Counter>(servers[store], `GET ${item}`)))
    expect(seen.filter(({ left, right }) => left !== right)).toEqual([])
    expect(undone).toEqual([])
    expect(seen.at(-1)).toMatchObject({ red: SHADES, green: SHADES, blue: SHADES, count: 0 })
    expect(seen.length).toBe(CLIENTS * CHANGES + COLOURS.length * SHADES * 2 + 1)
  })

  it('cause no errors in the log', () => {
    expect(errorsOf(servers.process)).toEqual([])
  })
})

async function createCounter(base: string): Promise<string> {
  const { id } = await must(201, send<Counter>(base, `POST ${PATH}`, { body: {} }))
  return `${PATH}/${id}`
}

function addOne(base: string, item: string, { headers, body }: JsonResponse<Counter>): Promise<JsonResponse<Counter>> {
  const { etag } = headers
  if (etag === undefined) throw new Error('a row without an ETag')
  return send<Counter>(base, `PATCH ${item}`, { body: { count: body.count + 1 }, headers: { 'if-match': etag } })
}

async function together(count: number, work: (client: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, client) => work(client)))
}
