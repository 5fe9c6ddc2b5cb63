import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { unknownParameter } from './unknown-fields.ts'
import { z } from 'zod'
import { createAgent, createApp, createRouter, type Log } from '../index.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
interface Tree {
  name: string
  children: Tree[]
}
const tree: z.ZodType<Tree> = z.object({ name: z.string(), children: z.lazy(() => z.array(tree)) })
/** Two recursive choices with the same members: the possible schemas do not multiply with every level. */
const block: z.ZodType = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('list'), first: block.optional() }),
    z.object({ kind: z.literal('quote'), first: block.optional() }),
  ]),
)
const handler = (_ctx: unknown, input: unknown): unknown => input

const app = createApp({
  log: silent,
  agents: [
    createAgent('zod', {
      input: z.object({ text: z.string(), inner: z.object({ a: z.number() }).optional(), size: z.number().default(1) }),
      handler,
    }),
    createAgent('valibot', { input: toStandardJsonSchema(v.object({ text: v.string() })), handler }),
    createAgent('arktype', { input: type({ text: 'string', '+': 'delete' }), handler }),
    createAgent('keeping', { input: type({ text: 'string', 'inner?': { a: 'number' } }), handler }),
    createAgent('open', { input: type({ '[string]': 'unknown', text: 'string' }), handler }),
    createAgent('records', { input: z.record(z.string(), z.object({ a: z.number() })), handler }),
    createAgent('both', { input: z.object({ a: z.number() }).and(z.object({ b: z.number() })), handler }),
    createAgent('nested', {
      input: z.object({
        one: z.union([z.object({ a: z.number(), deep: z.object({ x: z.number() }) }), z.string()]).nullable(),
        two: z.union([z.object({ a: z.number() }), z.looseObject({ b: z.number() })]).optional(),
      }),
      handler,
    }),
    createAgent('plain-valibot', { input: v.object({ text: v.string() }), handler }),
    createAgent('loose', { input: z.looseObject({ text: z.string() }), handler }),
    createAgent('record', { input: z.record(z.string(), z.number()), handler }),
    createAgent('either', { input: z.union([z.object({ a: z.number() }), z.object({ b: z.number() })]), handler }),
    createAgent('renamed', {
      input: z.object({ text: z.string() }).transform(({ text }) => ({ length: text.length })),
      handler,
    }),
    createAgent('tree', { input: tree, handler }),
    createAgent('blocks', { input: block, handler }),
  ],
  router: createRouter().on('GET /api/search', { query: z.object({ q: z.string() }), handler: (ctx) => ctx.query }),
})

async function send(name: string, input: unknown): Promise<unknown> {
  const response = await app.fetch(
    new Request(`http://localhost/agent/${name}`, {
      method: 'POST',
      body: JSON.stringify(input),
      headers: { 'content-type': 'application/json' },
    }),
  )
  return outcome(response)
}

async function outcome(response: Response): Promise<unknown> {
  const body = (await response.json()) as { error?: { details: { code: string; pointer?: string; name?: string }[] } }
  return response.ok ? body : body.error?.details.map(({ code, pointer, name }) => `${code} ${pointer ?? name}`)
}

describe('an unknown member', () => {
  it.each([
    ['zod', { text: 'a', more: 1 }, ['UNKNOWN_FIELD /more']],
    ['zod', { text: 'a', inner: { a: 1, b: 2 }, 'x/y': 0 }, ['UNKNOWN_FIELD /inner/b', 'UNKNOWN_FIELD /x~1y']],
    ['valibot', { text: 'a', more: 1 }, ['UNKNOWN_FIELD /more']],
    ['arktype', { text: 'a', more: 1 }, ['UNKNOWN_FIELD /more']],
    ['renamed', { text: 'a', more: 1 }, ['UNKNOWN_FIELD /more']],
    ['tree', { name: 'a', children: [{ name: 'b', children: [], age: 7 }] }, ['UNKNOWN_FIELD /children/0/age']],
    ['either', { b: 1, c: 2 }, ['UNKNOWN_FIELD /c']],
    ['nested', { one: { a: 1, deep: { x: 1, y: 2 }, z: 3 } }, ['UNKNOWN_FIELD /one/deep/y', 'UNKNOWN_FIELD /one/z']],
    ['keeping', { text: 'a', more: 1, inner: { a: 1, b: 2 } }, ['UNKNOWN_FIELD /more', 'UNKNOWN_FIELD /inner/b']],
    ['records', { x: { a: 1, b: 2 } }, ['UNKNOWN_FIELD /x/b']],
    ['both', { a: 1, b: 2, c: 3 }, ['UNKNOWN_FIELD /c']],
  ])('is rejected: %s', async (name, input, details) => {
    expect(await send(name, input)).toEqual(details)
  })

  it.each([
    ['zod', { text: 'a' }, { text: 'a', size: 1 }],
    ['renamed', { text: 'abc' }, { length: 3 }],
    ['loose', { text: 'a', more: 1 }, { text: 'a', more: 1 }],
    ['record', { a: 1, b: 2 }, { a: 1, b: 2 }],
    ['either', { b: 1 }, { b: 1 }],
    // Members of the other choice are dropped, not rejected.
    ['either', { a: 1, b: 2 }, { a: 1 }],
    ['both', { a: 1, b: 2 }, { a: 1, b: 2 }],
    ['nested', { one: 'x', two: { b: 1, c: 2 } }, { one: 'x', two: { b: 1, c: 2 } }],
    ['open', { text: 'a', more: { b: 2 } }, { text: 'a', more: { b: 2 } }],
    [
      'tree',
      { name: 'a', children: [{ name: 'b', children: [] }] },
      { name: 'a', children: [{ name: 'b', children: [] }] },
    ],
    // Without its converter, valibot does not report its known fields, so the fields that it drops are not checked.
    ['plain-valibot', { text: 'a', more: 1 }, { text: 'a' }],
  ])('is not reported for valid input: %s %j', async (name, input, output) => {
    expect(await send(name, input)).toEqual(output)
  })

  it('is found quickly at any depth in recursive choices', async () => {
    let deep: object = { kind: 'list', more: 1 }
    for (let level = 1; level < 32; level++) deep = { kind: level % 2 === 0 ? 'list' : 'quote', first: deep }
    expect(await send('blocks', deep)).toEqual([`UNKNOWN_FIELD ${'/first'.repeat(31)}/more`])
  })

  it('is reported as a parameter in a query', async () => {
    expect(await outcome(await app.fetch(new Request('http://localhost/api/search?q=tea&page=2')))).toEqual([
      'UNKNOWN_PARAMETER page',
    ])
  })
})

describe('unknownParameter', () => {
  it('lists the parameters of the route', () => {
    expect(unknownParameter('titel', ['limit', 'title']).message).toBe(
      'is not a known parameter: the route accepts limit, title',
    )
    expect(unknownParameter('titel', []).message).toBe('is not a known parameter: the route accepts none')
  })
})
