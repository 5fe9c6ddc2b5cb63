import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent, createApp, createRouter, createSocket, type Log } from './index.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** The same schemas in three libraries. */
const libraries = {
  zod: {
    input: z.object({ text: z.string().max(5), times: z.coerce.number().int().min(1) }),
    output: z.object({ text: z.string().max(9) }),
    params: z.object({ id: z.coerce.number().int() }),
  },
  valibot: {
    input: v.object({
      text: v.pipe(v.string(), v.maxLength(5)),
      times: v.pipe(v.union([v.string(), v.number()]), v.transform(Number), v.integer(), v.minValue(1)),
    }),
    output: v.object({ text: v.pipe(v.string(), v.maxLength(9)) }),
    params: v.object({ id: v.pipe(v.string(), v.transform(Number), v.integer()) }),
  },
  arktype: {
    input: type({ text: 'string <= 5', times: 'number.integer >= 1 | string.integer.parse' }),
    output: type({ text: 'string <= 9' }),
    params: type({ id: 'string.integer.parse' }),
  },
}

describe.each(Object.entries(libraries))('schemas of %s', (_library, { input, output, params }) => {
  const repeat = ({ text, times }: { text: string; times: number }): { text: string } => ({ text: text.repeat(times) })
  const app = createApp({
    log: silent,
    agents: [
      createAgent('repeat', { input, output, handler: (_ctx, value) => repeat(value) }),
      createAgent('stream', {
        input,
        output,
        async *handler(_ctx, value) {
          const { text, times } = value
          for (let n = 1; n <= times; n++) yield await Promise.resolve({ text: text.repeat(n) })
        },
      }),
    ],
    router: createRouter().on('GET /api/things/:id', {
      params,
      handler: (ctx) => ({ id: ctx.params.id, next: ctx.params.id + 1 }),
    }),
  })
  const post = (name: string, body: unknown): Promise<Response> =>
    app.fetch(
      new Request(`http://localhost/agent/${name}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    )

  it('validate and convert the input', async () => {
    expect(await (await post('repeat', { text: 'ab', times: '3' })).json()).toEqual({ text: 'ababab' })
    const refused = await post('repeat', { text: 'too long', times: 1 })
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { code: 'INVALID_REQUEST', details: [{ code: 'TOO_LONG', pointer: '/text', max: 5 }] } },
    ])
  })

  it('report all issues together', async () => {
    const { error } = (await (await post('repeat', { text: 7 })).json()) as {
      error: { details: { pointer: string }[] }
    }
    expect(error.details.map(({ pointer }) => pointer).toSorted()).toEqual(['/text', '/times'])
  })

  it('return 500 if the output is invalid', async () => {
    const failed = await post('repeat', { text: 'abcde', times: 2 })
    expect([failed.status, await failed.json()]).toMatchObject([500, { error: { code: 'INTERNAL_SERVER_ERROR' } }])
  })

  it('validate every chunk', async () => {
    const chunks = (await (await post('stream', { text: 'abcde', times: 2 })).text()).trimEnd().split('\n')
    expect(chunks.map((chunk) => JSON.parse(chunk) as unknown)).toMatchObject([
      { text: 'abcde' },
      { error: { code: 'INTERNAL_SERVER_ERROR', details: [] } },
    ])
  })

  it('validate the path parameters', async () => {
    const get = (path: string): Promise<Response> => app.fetch(new Request(`http://localhost${path}`))
    expect(await (await get('/api/things/7')).json()).toEqual({ id: 7, next: 8 })
    const refused = await get('/api/things/seven')
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { details: [{ source: 'path', name: 'id' }] } },
    ])
  })
})

describe('an invalid schema', () => {
  const fields = { text: z.string() } as never // without z.object around it
  const handler = (): null => null
  const what = 'must be a Standard Schema, such as z.object({ … })'

  it('is rejected with its location when it is defined', () => {
    expect(() => createAgent('tea', { input: fields, handler })).toThrow(`agent "tea": input ${what}`)
    expect(() => createAgent('tea', { output: null as never, handler })).toThrow(`agent "tea": output ${what}`)
    for (const name of ['params', 'query', 'input', 'output'])
      expect(() => createRouter().on('POST /api/tea', { [name]: fields, handler })).toThrow(
        `POST /api/tea: ${name} ${what}`,
      )
    expect(() => createSocket({ receive: fields })).toThrow(`a socket: receive ${what}`)
    expect(() => createSocket({ send: fields })).toThrow(`a socket: send ${what}`)
  })
})
