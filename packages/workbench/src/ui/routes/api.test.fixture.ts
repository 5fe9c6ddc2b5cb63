import { createAgent, createApp, createLog, createResource, createRouter, memoryStore, type App } from '@sdk/server'
import { z } from 'zod'
import type { OpenApiDocument } from './openapi-document.ts'

interface Folder {
  name: string
  inside: Folder[]
}
const folder: z.ZodType<Folder> = z.object({ name: z.string(), inside: z.lazy(() => z.array(folder)) })

/** Creates an app with a resource, routes with and without documentation, an agent, and a second version. */
export function createApiApp(): App {
  const tasks = createResource('tasks', {
    description: 'What is to be done',
    schema: z.object({ title: z.string().min(1), done: z.boolean().default(false) }),
    store: memoryStore(),
    access: 'public',
    filter: ['done'],
    sort: ['createdAt'],
    computed: {
      letters: { output: z.int(), load: (rows) => rows.map(({ title }) => title.length) },
      loud: { output: z.string(), load: (rows) => rows.map(({ title }) => title.toUpperCase()) },
    },
  })
  const figures = createResource('figures', {
    schema: z.object({ value: z.number() }),
    store: { list: async () => ({ rows: [] }), get: async () => null },
    access: 'public',
  })
  const router = createRouter()
    .resource('v1', tasks)
    .resource('v2', figures)
    .on('GET /api/status', () => ({ status: 'ok' }))
    .on('POST /api/folders', { input: folder, handler: (_, input) => input })
    .on('GET|POST /api/auth/*', ({ request }) => ({ at: new URL(request.url).pathname }))
  const agent = createAgent('hello', { handler: () => 'hello' })
  return createApp({ agents: [agent], router, log: createLog({ write: () => {} }) })
}

/** Reads the document of a version from the app. */
export async function readDocument(app: App, major = 1): Promise<OpenApiDocument> {
  const response = await app.fetch(new Request(`http://bench.test/api/v${major}/openapi.json`))
  return (await response.json()) as OpenApiDocument
}
