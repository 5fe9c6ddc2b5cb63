import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent, createApp, createRouter, createSocket, memoryStore, createResource, type Log } from '../index.ts'
import { testApp } from '../testing.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
const message = z.object({ id: z.string(), role: z.string() })
interface Tree {
  children: Tree[]
}
const tree: z.ZodType<Tree> = z.object({ children: z.lazy(() => z.array(tree).max(10)) })
const handler = (): string => 'accepted'

const app = createApp({
  log: silent,
  agents: [
    createAgent('free', { handler }),
    createAgent('list', { input: z.object({ messages: z.array(message) }), handler }),
    createAgent('declared', { input: z.object({ messages: z.array(message).max(3_000) }), handler }),
    createAgent('arktype', { input: type({ messages: type({ id: 'string' }).array().atMostLength(3_000) }), handler }),
    createAgent('limited', { input: z.array(message).max(3_000), limits: { objects: 10 }, handler }),
    createAgent('raised', { input: z.array(message), limits: { objects: 5_000 }, handler }),
    createAgent('tree', { input: tree, handler }),
    createAgent('union', { input: z.array(z.union([message, z.object({ kind: z.string() })])), handler }),
    createAgent('scalars', { input: z.array(z.union([z.string(), z.boolean(), z.null()])), handler }),
    createAgent('coerced', { input: z.array(z.coerce.number()), handler }),
    createAgent('ruled', { input: z.array(z.string().max(9)), handler }),
    createAgent('manyRules', { input: z.array(z.string().max(9)).max(25_000), handler }),
    createAgent('manyCoerced', { input: z.array(z.coerce.number()).max(25_000), handler }),
    createAgent('record', { input: z.record(z.string(), message), handler }),
    createAgent('opaque', { input: v.array(v.string()), handler }),
  ],
})

async function statusOf(agent: string, input: unknown): Promise<number> {
  const response = await app.fetch(
    new Request(`http://localhost/agent/${agent}`, {
      method: 'POST',
      body: JSON.stringify(input),
      headers: { 'content-type': 'application/json' },
    }),
  )
  return response.status
}

const valid = { id: '', role: '' }
const times = <T>(count: number, item: T): T[] => Array.from<T>({ length: count }).fill(item)
const byName = (count: number, item: unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, item]))

describe('the limits of JSON values', () => {
  it.each([
    ['free', times(1_999, {}), 200],
    ['free', times(2_000, {}), 413],
    ['list', { messages: times(1_998, valid) }, 200],
    ['list', { messages: times(1_999, valid) }, 413],
    ['declared', { messages: times(3_000, valid) }, 200],
    ['declared', { messages: times(3_100, {}) }, 413],
    ['arktype', { messages: times(3_000, { id: '' }) }, 200],
    ['arktype', { messages: times(3_100, {}) }, 413],
    ['limited', times(9, valid), 200],
    ['limited', times(10, valid), 413],
    ['raised', times(4_999, valid), 200],
    // A recursive schema has no maximum.
    ['tree', { children: times(9, { children: times(9, { children: times(9, { children: [] }) }) }) }, 200],
    ['tree', { children: times(100, { children: times(20, { children: [] }) }) }, 413],
  ])('apply to %s as its schema declares', async (agent, input, status) => {
    expect(await statusOf(agent, input)).toBe(status)
  })

  // Libraries compare each item with every choice and report all failures, so numbers cost as much as objects.
  it.each([
    ['union', times(2_000, 1), 413],
    ['union', times(1_900, 1), 400],
    ['scalars', times(60_000, 'a'), 200],
    ['scalars', times(9_000, 1), 413],
    ['scalars', times(6_000, 1), 400],
    ['coerced', times(15_000, '1'), 200],
    ['coerced', times(25_000, '1'), 413],
    ['ruled', times(25_000, 'a'), 413],
    ['ruled', times(15_000, 'a'), 200],
    ['manyRules', times(25_000, 'a'), 200],
    ['manyCoerced', times(25_000, '1'), 200],
    ['record', byName(2_000, 1), 413],
    ['record', byName(1_900, 1), 400],
    ['opaque', times(2_000, 1), 413],
    ['opaque', times(1_900, 'a'), 200],
  ])('weight the items of %s by their validation cost', async (agent, input, status) => {
    expect(await statusOf(agent, input)).toBe(status)
  })

  it('apply to the messages of sockets and keep the connection open', async () => {
    const input = z.object({ messages: z.array(message) })
    const echo = createSocket({ receive: input, message: (peer) => peer.send('accepted') })
    const small = createSocket({ limits: { values: 3 }, message: (peer) => peer.send('accepted') })
    const router = createRouter().socket('/ws/echo', echo).socket('/ws/small', small)
    const { socket } = await testApp(createApp({ router, log: silent }))
    const client = await socket('/ws/echo')
    client.send({ messages: times(2_000, valid) })
    await expect(client.next()).rejects.toMatchObject({ code: 'CONTENT_TOO_LARGE' })
    client.send({ messages: times(100, valid) })
    expect(await client.next()).toBe('accepted')
    const other = await socket('/ws/small')
    other.send([1, 2, 3, 4])
    await expect(other.next()).rejects.toMatchObject({ code: 'CONTENT_TOO_LARGE' })
  })
})

describe('an array, record or string without a maximum', () => {
  const input = z.object({
    messages: z.array(z.object({ tags: z.array(z.string()).max(3), parts: z.array(z.string()) })),
    byName: z.record(z.string(), z.number()),
    byKind: z.record(z.enum(['a', 'b']), z.number()),
    few: z.array(z.string()).max(9),
  })
  const warnings: unknown[][] = []
  const log: Log = { ...silent, warn: (...line) => warnings.push(line) }
  const notes = createResource('notes', {
    schema: z.object({ title: z.string().max(200), text: z.string(), at: z.iso.date(), tags: z.array(z.string()) }),
    store: memoryStore(),
    access: 'public',
  })
  const router = createRouter()
    .on('POST /api/free', { input, handler })
    .on('POST /api/decided', { input, limits: { objects: 100 }, handler })
    .resource('v1', notes)
    .socket('/ws/chat', createSocket({ receive: z.array(z.string()), message() {} }))

  it('is logged once, with its route', async () => {
    const start = async (): Promise<void> => {
      const started = createApp({ router, log })
      await started.ready()
      await started.close()
    }
    await start()
    await start()
    expect(warnings).toEqual([
      [
        'some inputs have no maximum size: add .max(…) to their schemas, or set limits',
        {
          input: [
            'POST /api/free messages',
            'POST /api/free messages.*.parts',
            'POST /api/free byName',
            'POST /api/v1/notes tags',
            'POST /api/v1/notes text',
            '/ws/chat the body',
          ],
        },
      ],
    ])
  })
})
