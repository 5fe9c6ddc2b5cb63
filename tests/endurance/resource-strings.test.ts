import { isDeepStrictEqual } from 'node:util'
import BIG_LIST from 'big-list-of-naughty-strings/blns.json' with { type: 'json' }
import type { ErrorEnvelope, Page } from '@sdk/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { NAUGHTY, SQL, UNSTORABLE } from './naughty-strings.ts'
import { errorsOf, must, send, type ServerOfStores, startStores, STORES, walk } from './resource-client.ts'
import { forgedCursors, type Hostile, inEveryPlace, specialFilters } from './resource-hostile.ts'
import type { Item } from './resource-server.ts'

const PATH = '/api/v1/items'
/** The strings by category, and those of big-list-of-naughty-strings. */
const CATEGORIES = { ...NAUGHTY, bigList: BIG_LIST }
const ALL_TEXTS = [...new Set(Object.values(CATEGORIES).flat())]
/**
 * The texts of each store; the short form uses some of each category. Fewer are enough for the memory store, which runs
 * no statements.
 */
const TEXTS = { memory: choose(ALL_TEXTS, everyNth(20)), pglite: ALL_TEXTS, postgres: choose(ALL_TEXTS, everyNth(4)) }
/** Every n-th hostile request is sent. 41 divides no period of the list, so that every position is covered. */
const HOSTILE_STEP = { memory: choose(4, 41), pglite: 4, postgres: choose(1, 41) }
/** Rows in a page. */
const PAGE = choose(7, 31)
/** The number of concurrent requests. */
const LANES = 8

const whole = (row: Item): Item => row

let servers: ServerOfStores
beforeAll(async () => {
  servers = await startStores()
})
afterAll(() => servers?.process.kill())

describe.each(STORES)('naughty texts: %s', (store) => {
  const texts = TEXTS[store]
  /** The rows as they were acknowledged, by their text. */
  const made = new Map<string, Item>()

  it('are stored unchanged as a title, in JSON and as its keys', async () => {
    const wrong: unknown[] = []
    await inLanes(texts, async (text) => {
      const { status, body } = await send<Item>(servers[store], `POST ${PATH}`, { body: contentOf(text) })
      if (status === 201 && isTrue(text, body)) made.set(text, body)
      else wrong.push({ text, status, body })
    })
    expect(wrong).toEqual([])
    expect(made.size).toBe(texts.length)
    expect(ALL_TEXTS.length).toBeGreaterThan(300)
  })

  it('are returned unchanged', async () => {
    const wrong: unknown[] = []
    await inLanes([...made], async ([text, { id }]) => {
      const row = await must(200, send<Item>(servers[store], `GET ${PATH}/${id}`))
      if (!isTrue(text, row) || !isDeepStrictEqual(row, made.get(text))) wrong.push({ text, row })
    })
    expect(wrong).toEqual([])
  })

  it('are each found by a filter', async () => {
    const wrong: unknown[] = []
    await inLanes([...made], async ([text, row]) => {
      const query = `title=${encodeURIComponent(text)}`
      const { status, body } = await send<Page<Item>>(servers[store], `GET ${PATH}?${query}`)
      if (status !== 200 || !isDeepStrictEqual(body.data, [row])) wrong.push({ text, status, body })
    })
    expect(wrong).toEqual([])
  })

  it('are unchanged in lists and cursors', async () => {
    const { forward, backward } = await walk<Item>(servers[store], `${PATH}?limit=${PAGE}&sort=title`, whole)
    const expected = [...made].toSorted(([one], [other]) => byCodePoint(one, other)).map(([, row]) => row)
    expect(forward.map(({ title }) => title)).toEqual(expected.map(({ title }) => title))
    expect(forward).toEqual(expected)
    expect(backward).toEqual(expected)
  })

  it('are rejected if they cannot be stored', async () => {
    for (const text of UNSTORABLE) {
      for (const body of [{ title: text }, { title: 'x', data: [text] }, { title: 'x', data: { [text]: 1 } }]) {
        const response = await send<ErrorEnvelope>(servers[store], `POST ${PATH}`, { body })
        expect(response.status, JSON.stringify(body)).toBe(400)
        expect(response.body.error.details[0]?.code, JSON.stringify(body)).toBe('INVALID_UNICODE')
      }
    }
    const response = await send<ErrorEnvelope>(servers[store], `POST ${PATH}`, {
      body: '{"title":"x","data":{"__proto__":{"isAdmin":true}}}',
    })
    expect(response.status).toBe(400)
    expect(await totalOf(servers[store])).toBe(made.size)
  })

  it('are harmless in every parameter, id, header and cursor', async () => {
    const before = await walk<Item>(servers[store], `${PATH}?limit=100`, whole)
    const all = [...SQL.flatMap(inEveryPlace), ...specialFilters(), ...(await forgedCursors(servers[store]))]
    const hostile = all.filter((_, at) => at % HOSTILE_STEP[store] === 0)
    const wrong: string[] = []
    await inLanes(hostile, async (one) => {
      const fault = await faultOf(servers[store], one)
      if (fault !== null) wrong.push(fault)
    })
    expect(wrong).toEqual([])
    const after = await walk<Item>(servers[store], `${PATH}?limit=100`, whole)
    expect(after.forward).toEqual(before.forward)
    expect(after.forward).toHaveLength(made.size)
  })

  it('cause no errors in the log', () => {
    expect(errorsOf(servers.process)).toEqual([])
  })
})

/** Every n-th text of each category, and at least one. */
function everyNth(n: number): string[] {
  return [...new Set(Object.values(CATEGORIES).flatMap((texts) => texts.filter((_, at) => at % n === 0)))]
}

function contentOf(text: string): Partial<Item> {
  return {
    title: text,
    data: { value: text, list: [text, [text]], keys: { [text]: text, [`${text}.`]: { [text]: 1 } } },
  }
}

function isTrue(text: string, row: Item): boolean {
  return isDeepStrictEqual({ title: row.title, data: row.data }, contentOf(text))
}

async function faultOf(base: string, { line, allowed, body, headers }: Hostile): Promise<string | null> {
  const { status, body: response } = await send(base, line, {
    ...(body !== undefined && { body }),
    ...(headers !== undefined && { headers }),
  })
  if (allowed.includes(status)) return null
  return `${line} ${JSON.stringify({ body, headers })}: ${status} ${JSON.stringify(response).slice(0, 300)}`
}

async function totalOf(base: string): Promise<number | undefined> {
  const { pagination } = await must(200, send<Page<Item>>(base, `GET ${PATH}?limit=1&count=true`))
  return pagination.total
}

/** UTF-8 keeps the order of code points. */
function byCodePoint(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

async function inLanes<T>(list: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const waiting = list.values()
  const lane = async (): Promise<void> => {
    for (const one of waiting) await work(one)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}
