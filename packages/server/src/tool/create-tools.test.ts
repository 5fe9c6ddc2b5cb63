import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApp } from '../app/app.ts'
import type { Context } from '../context/context.ts'
import type { RouteTool, ToolRoutes } from '../context/tool.ts'
import { createAgent } from '../define/agent.ts'
import { createResource } from '../define/resource.ts'
import { createRouter } from '../define/router.ts'
import { createLog } from '../log/log.ts'
import { memoryStore } from '../resource/memory-store.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { testApp } from '../testing.ts'
import { resolveTools } from './resolve-tools.ts'

const schema = z.object({ title: z.string().max(20), done: z.boolean().default(false) })
const tasks = createResource('tasks', { schema, store: memoryStore(), access: 'public', filter: ['done'] })
const strict = createResource('notes', { schema, store: memoryStore(), access: 'public', ifMatch: 'required' })
interface Node {
  name: string
  inner?: Node | undefined
}
const node: z.ZodType<Node> = z.object({ name: z.string(), inner: z.lazy(() => node).optional() })
let hasEnded = false
const agents = [
  createAgent('endless', {
    async *handler() {
      try {
        for (;;) yield 'more'
      } finally {
        hasEnded = true
      }
    },
  }),
  createAgent('weather', {
    description: 'Returns the weather in a city.',
    input: z.object({ city: z.string() }),
    output: z.object({ sky: z.string() }),
    handler: () => ({ sky: 'rain' }),
  }),
  createAgent('shout', { input: z.string(), handler: (_ctx, text) => text.toUpperCase() }),
  createAgent('tree', { input: node, handler: (_ctx, { name }) => name }),
  createAgent('count', {
    async *handler() {
      yield 1
      yield 2
    },
  }),
  createAgent('busy', {
    handler() {
      throw new TypeError('secret')
    },
  }),
]
const LONG = `GET /api/${'long-'.repeat(20)}`
const router = createRouter()
  .resource('v1', tasks)
  .resource('v2', tasks)
  .resource('v1', strict)
  .on('GET /api/files/*', () => 1)
  .on('POST /api/raw', { raw: true, handler: () => 1 })
  .on('POST /api/twice/:id', { input: z.object({ id: z.number() }), handler: () => 1 })
  .on('GET /api/search', {
    query: z.object({ q: z.string(), tag: z.string().optional() }),
    handler: (ctx) => ctx.query,
  })
  .on('GET /api/text', () => new Response('a,b', { headers: { 'content-type': 'text/csv' } }))
  .on(LONG as 'GET /api/long', () => 1)

async function within<T>(work: (ctx: Context) => Promise<T>, lines: string[] = [], quota = 1000): Promise<T> {
  let result: T | undefined
  const probe = createAgent('probe', {
    async handler(ctx) {
      result = await work(ctx)
    },
  })
  const log = createLog({ level: 'error', write: (line) => void lines.push(line) })
  const rateLimit = { default: { quota, window: 60 } }
  const app = await testApp(createApp({ agents: [...agents, probe], router, log, rateLimit }))
  try {
    await app.agent('probe').call()
    return result as T
  } finally {
    await app.close()
  }
}

const resolve = (routes: ToolRoutes): Promise<readonly RouteTool[]> => within((ctx) => resolveTools(ctx, routes))
const schemaOf = async (route: string): Promise<JsonSchema> => (await resolve([route]))[0]?.inputSchema ?? {}

describe('ctx.tools', () => {
  it('names tools by their operation ids and describes them', async () => {
    const tools = await within((ctx) => ctx.tools(['POST /agent/weather', 'GET /api/v1/tasks', 'POST /api/v1/tasks']))
    expect(Object.keys(tools)).toEqual(['callWeather', 'listTasks', 'createTask'])
    expect(tools['callWeather']?.description).toBe('Returns the weather in a city.')
    expect(tools['createTask']?.description).toContain('Creates a new task')
  })

  it('has the path, the query and the body in one schema', async () => {
    expect(await schemaOf('PATCH /api/v1/tasks/:id')).toEqual({
      type: 'object',
      properties: {
        id: expect.objectContaining({ type: 'integer' }),
        title: { type: 'string', maxLength: 20 },
        done: { type: ['boolean', 'null'] },
      },
      required: ['id'],
      additionalProperties: false,
    })
    expect(await schemaOf('GET /api/search')).toEqual({
      type: 'object',
      properties: { q: { type: 'string' }, tag: { type: 'string' } },
      required: ['q'],
      additionalProperties: false,
    })
  })

  it('has a body that is not an object as input', async () => {
    expect(await schemaOf('POST /agent/shout')).toMatchObject({ properties: { input: { type: 'string' } } })
    const { shout } = await within((ctx) => ctx.tools({ shout: 'POST /agent/shout' }))
    expect(await shout.execute({ input: 'tea' })).toBe('TEA')
    expect(await shout.execute({ input: 'tea', 'a/b~c': 1 })).toMatchObject({
      error: { code: 'INVALID_REQUEST', details: [{ code: 'UNKNOWN_FIELD', pointer: '/a~1b~0c' }] },
    })
    const text: unknown = 'tea'
    expect(await shout.execute(text as never)).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  })

  it('contains the schemas that a recursive schema refers to', async () => {
    const { $defs, ...root } = await schemaOf('POST /agent/tree')
    const text = JSON.stringify([$defs, root])
    expect(text).not.toContain('#/components')
    for (const [, name = ''] of text.matchAll(/"#\/\$defs\/([^"]+)"/g)) expect($defs).toHaveProperty(name)
    const { tree } = await within((ctx) => ctx.tools({ tree: 'POST /agent/tree' }))
    expect(text).toContain('#/$defs/')
    expect(await tree.execute({ name: 'a', inner: { name: 'b' } })).toBe('a')
  })

  it('returns a copy of its schema, which a library may change', async () => {
    const { it: tool } = await within((ctx) => ctx.tools({ it: 'GET /api/search' }))
    const { jsonSchema, validate } = tool.inputSchema['~standard']
    const target = 'draft-07'
    Object.assign(jsonSchema.input({ target }), { type: 'changed' })
    expect(jsonSchema.input({ target })).toMatchObject({ type: 'object' })
    expect(await validate({ q: 7 })).toEqual({ value: { q: 7 } })
    expect(await validate('q')).toEqual({ issues: [{ message: 'must be an object' }] })
  })

  it('collects the chunks of a route that streams, and reports each one', async () => {
    const chunks: unknown[] = []
    const outcome = await within(async (ctx) => {
      const [tool] = await resolveTools(ctx, ['POST /agent/count'])
      expect(tool).toMatchObject({ isStream: true, method: 'POST', name: 'callCount' })
      return tool?.run({}, { onChunk: (chunk) => chunks.push(chunk) })
    })
    expect([outcome, chunks]).toEqual([{ isStream: true, value: [1, 2] }, [1, 2]])
  })

  it('has the JSON of a result that is sent as JSON text', async () => {
    const outcomes = await within(async (ctx) => {
      const [shout, text] = await resolveTools(ctx, ['POST /agent/shout', 'GET /api/text'])
      return [await shout?.run({ input: 'tea' }), await text?.run({})]
    })
    expect(outcomes).toEqual([
      { isStream: false, value: 'TEA', json: '"TEA"' },
      { isStream: false, value: 'a,b' },
    ])
  })

  it('returns a generic error for an unexpected one, and logs it once', async () => {
    const lines: string[] = []
    const result = await within(async (ctx) => (await ctx.tools({ busy: 'POST /agent/busy' })).busy.execute({}), lines)
    const message = 'Something went wrong on our side'
    expect(result).toEqual({ error: { code: 'INTERNAL_SERVER_ERROR', message, details: [] } })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('secret')
    expect(lines[0]).toContain('POST /agent/busy')
  })

  it.each([
    [{ id: '..' }, 'cannot be'],
    [{ id: null }, 'id must be a string or a number'],
    [{}, 'id is required'],
  ])('returns a 400 for the input %j', async (input, message) => {
    const tools = await within((ctx) => ctx.tools({ it: 'PATCH /api/v1/tasks/:id' }))
    const result = await tools.it.execute(input as never)
    expect(result).toMatchObject({ error: { code: 'INVALID_REQUEST', message: expect.stringContaining(message) } })
  })

  it('ends a stream when its call is aborted, even if the handler does not wait', async () => {
    const lines: string[] = []
    const result = await within(async (ctx) => {
      const { endless } = await ctx.tools({ endless: 'POST /agent/endless' })
      const stop = new AbortController()
      setTimeout(() => stop.abort())
      return endless.execute({}, { abortSignal: stop.signal })
    }, lines)
    expect(result).toMatchObject({ error: { code: 'INTERNAL_SERVER_ERROR' } })
    expect([hasEnded, lines]).toEqual([true, []])
  })

  it('rejects a stream whose chunks are too large to collect, and ends it', async () => {
    hasEnded = false
    const result = await within(async (ctx) =>
      (await ctx.tools({ endless: 'POST /agent/endless' })).endless.execute({}),
    )
    expect(result).toMatchObject({ error: { code: 'CONTENT_TOO_LARGE' } })
    expect(hasEnded).toBe(true)
  })

  it('counts a call under the rate limit of its route only if required', async () => {
    const outcomes = await within(
      async (ctx) => {
        const [tool] = await resolveTools(ctx, ['GET /api/v1/tasks'])
        const calls = [{}, {}, { isCounted: true }, { isCounted: true }, {}]
        const found: unknown[] = []
        for (const options of calls) {
          const outcome = await tool?.run({}, options)
          found.push(outcome && 'error' in outcome ? outcome.status : 'ok')
        }
        return found
      },
      [],
      2,
    )
    expect(outcomes).toEqual(['ok', 'ok', 'ok', 429, 'ok'])
  })

  it.each<[string, ToolRoutes, RegExp]>([
    ['a name in two places', ['POST /api/twice/:id'], /"id" is in its path and body: rename one/],
    ['a wildcard', ['GET /api/files/*'], /GET \/api\/files\/\* cannot be a tool: its path is a wildcard/],
    ['a raw body', ['POST /api/raw'], /its body is not JSON/],
    ['required If-Match', ['DELETE /api/v1/notes/:id'], /requires If-Match/],
    ['a long name', [LONG], /must have 1 to 64 letters, digits, "_" and "-", got "getApiLong/],
    ['an invalid name', { 'a b': 'GET /api/search' }, /got "a b" for GET \/api\/search/],
    ['two tools with one name', ['GET /api/v1/tasks', 'GET /api/v2/tasks'], /are both the tool listTasks: name them/],
    ['an unknown route', ['GET /api/nothing'], /no route is called "GET \/api\/nothing"/],
  ])('rejects %s with a TypeError', async (_name, routes, message) => {
    const error = await within((ctx) => resolveTools(ctx, routes).catch((thrown: unknown) => thrown))
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).toMatch(message)
  })

  it('has the schema of the result', async () => {
    const [weather, list, search] = await resolve(['POST /agent/weather', 'GET /api/v1/tasks', 'GET /api/search'])
    expect(weather?.outputSchema).toMatchObject({ type: 'object', properties: { sky: { type: 'string' } } })
    expect(list?.outputSchema).toMatchObject({ type: 'object', required: ['data', 'pagination'] })
    expect(search?.outputSchema).toBeNull()
  })

  it('adds no limits to the schemas that the routes do not declare', async () => {
    const [weather, list] = await resolve(['POST /agent/weather', 'GET /api/v1/tasks'])
    expect(weather?.outputSchema).toMatchObject({ properties: { sky: { type: 'string' } } })
    const text = JSON.stringify([weather, list])
    expect(text).not.toContain('536870888')
    expect(text).not.toContain(String.raw`[\\s\\S]*`)
  })
})
