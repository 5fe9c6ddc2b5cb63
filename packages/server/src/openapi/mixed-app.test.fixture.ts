import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import { createAgent, type Agent } from '../define/agent.ts'
import { agentEndpoint, routeEndpoint } from '../endpoint/endpoint.ts'
import { toDocument, type OpenApiDocument, type OpenApiSource } from './document.ts'
import { createResource } from '../define/resource.ts'
import { resourceEndpoints } from '../resource/resource-endpoints.ts'
import { memoryStore } from '../resource/memory-store.ts'
import { createRouter, type Router } from '../define/router.ts'
import type { EndpointInfo } from './endpoint-info.ts'

interface Tree {
  name: string
  children: Tree[]
}
const tree: z.ZodType<Tree> = z.object({ name: z.string(), children: z.lazy(() => z.array(tree)) })

const tasks = createResource('tasks', {
  description: 'What is to be done',
  schema: z.object({
    title: z.string().min(1).max(200).describe('In a few words'),
    notes: z.string().max(2_000).optional(),
    status: z.enum(['open', 'done']).default('open'),
    priority: z.int().min(1).max(5).default(3),
    effort: z.number().nullable().default(null),
    isUrgent: z.boolean().default(false),
    dueDate: z.iso.date().nullable().default(null),
    remindAt: z.iso.datetime({ offset: true }).nullable().default(null),
    place: z.object({ street: z.string(), rooms: z.array(z.object({ number: z.int() })) }).optional(),
    tree: tree.optional(),
  }),
  store: memoryStore(),
  access: 'public',
  filter: ['title', 'status', 'priority', 'effort', 'isUrgent', 'dueDate', 'remindAt'],
  sort: ['title', 'priority', 'createdAt'],
})

const errors = createResource('errors', {
  schema: type({ text: 'string', 'at?': 'string.date.iso', 'inner?': { code: 'number' } }),
  store: { list: async () => ({ rows: [] }), get: async () => null, delete: async () => null },
  access: ({ user }) => user !== null,
  ifMatch: 'required',
})

const END = { deprecated: '2026-01-01', sunset: '2027-01-01', successor: '/api/v2/errors' }

/** An app with all kinds of definitions, with schemas from three libraries. */
const mixed: readonly EndpointInfo[] = endpointsOf(
  [
    createAgent('echo', { handler: (_, input) => input }),
    createAgent('summarize', {
      description: 'Summarizes a text',
      input: z.object({
        text: z.string().min(1).describe('What to summarize'),
        words: z.int().default(100),
        tags: z.array(z.string()).optional(),
        in: z.string().optional(),
        options: z.object({ tone: z.enum(['dry', 'warm']), since: z.date().nullable() }).optional(),
        extra: z.record(z.string(), z.number()).default({}),
        kind: z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]),
      }),
      output: z.object({ sentence: z.string(), count: z.int().lt(5), at: z.date(), seen: z.boolean().default(false) }),
      async *handler() {
        yield { sentence: 'One.', count: 1, at: new Date(0), seen: true }
      },
    }),
    createAgent('daily-report', {
      input: type({ day: 'string.date', 'parts?': 'string[]', n: 'number.integer = 3', 'next?': 'this' }),
      handler: () => 1,
    }),
    createAgent('both', {
      input: toStandardJsonSchema(
        v.intersect([v.object({ a: v.optional(v.string(), 'x') }), v.object({ b: v.pipe(v.number(), v.integer()) })]),
      ),
      handler: (_, { a, b }) => ({ a, b }),
    }),
    createAgent('relay', { stream: true, handler: () => new ReadableStream<string>() }),
    createAgent('tree', { input: tree, output: tree, handler: (_, input) => input }),
    createAgent('unknown', { input: v.object({ a: v.string() }), handler: (_, input) => input }),
  ],
  createRouter()
    .on('GET /', () => 'home')
    .on('GET /api/status', () => ({ status: 'ok' }))
    .on('GET|HEAD /api/reports/:id', {
      params: z.object({ id: z.coerce.number().int().positive().describe('Its number') }),
      query: z.object({
        full: z.enum(['true', 'false']).optional(),
        since: z.iso.date(),
        limit: z.coerce.number().int().default(20),
      }),
      handler: ({ params }) => params.id,
    })
    .on('PATCH /api/reports/:report', { input: type({ 'title?': 'string < 200' }), handler: () => null })
    .on('POST /api/upload', async ({ request }) => (await request.blob()).size)
    .on('GET /api/logo', { content: 'image/png', handler: () => new Uint8Array() })
    .on('GET /api/robots', { content: 'text/plain; charset=utf-8', handler: () => '' })
    .on('GET /api/ticks', { stream: true, handler: () => new ReadableStream<number>() })
    .on('POST /api/jobs', { status: 202, handler: () => ({ id: 1 }) })
    .on('DELETE /api/jobs', { status: 204, handler: () => undefined })
    .on('GET /api/old', { status: 308, handler: () => Response.redirect('https://example.com/new', 308) })
    .on('GET /api/search', { query: v.object({ q: v.string() }), handler: () => [] })
    .on('GET|POST /api/auth/*', () => null)
    .on('GET /api/v1/own', () => null)
    .on('GET /api/v2/own', () => null)
    .resource('v1', tasks)
    .resource('v1', errors, END)
    .resource('v2', errors),
)

/** Returns the document of that app. */
export function mixedDocument(options: Partial<OpenApiSource> = {}): OpenApiDocument {
  return toDocument({ major: 1, endpoints: mixed, ...options })
}

function endpointsOf(agents: readonly Agent[], router: Router<unknown> = createRouter()): EndpointInfo[] {
  return [
    ...agents.map((agent) => agentEndpoint(agent)),
    ...router.entries.filter((entry) => entry.kind === 'route').flatMap(routeEndpoint),
    ...router.entries.filter((entry) => entry.kind === 'resource').flatMap((entry) => resourceEndpoints(entry)),
  ]
}
