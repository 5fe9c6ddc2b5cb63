import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ApiError } from '@sdk/protocol'
import { createApp, createLog, createResource, createRouter, memoryStore, serve, type Server } from '@sdk/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { writePage } from './write-page.ts'

/** The exports of the page's project that the test uses. */
interface Modules {
  render(baseUrl: string): Promise<{ html: string; state: { queries: unknown[] } }>
  describe(error: unknown): string
}

describe('docs/guide/client.md', () => {
  let server: Server
  let modules: Modules
  beforeAll(async () => {
    const { path } = await writePage('docs/guide/client.md')
    const load = async (file: string): Promise<Modules> =>
      (await import(/* @vite-ignore */ pathToFileURL(join(path, file)).href)) as Modules
    const [{ render }, words] = await Promise.all([load('src/render.tsx'), load('src/web/describe.ts')])
    modules = { render, describe: words.describe }
    const tasks = createResource('tasks', {
      schema: z.object({ title: z.string(), done: z.boolean().default(false) }),
      store: memoryStore(),
      access: 'public',
      filter: ['done'],
    })
    const app = createApp({ router: createRouter().resource('v1', tasks), log: createLog({ level: 'silent' }) })
    server = await serve(app, { port: 0, signals: false })
    const headers = { 'content-type': 'application/json' }
    await fetch(`${server.url}/api/v1/tasks`, { method: 'POST', headers, body: '{"title":"Tea"}' })
  })
  afterAll(() => server?.close())

  it('renders prefetched data on a server and returns its state', async () => {
    const { html, state } = await modules.render(server.url)
    expect(html).toContain('to do')
    expect(html).toMatch(/>1(?:<!-- -->)? to do</)
    expect(state.queries).toHaveLength(1)
  })

  it('describes errors for users', () => {
    const details = [{ code: 'TOO_SHORT', message: 'must have at least 1 character', pointer: '/title' }]
    expect([
      modules.describe(new ApiError('NETWORK_ERROR', 'The server cannot be reached')),
      modules.describe(new ApiError('TOO_MANY_REQUESTS', 'slow down', { retryAfter: 5 })),
      modules.describe(new ApiError('INVALID_REQUEST', 'no', { details })),
      modules.describe(new ApiError('CONFLICT', 'title is taken', { requestId: 'abc-1' })),
      modules.describe(new TypeError('oops')),
    ]).toEqual([
      'You seem to be offline',
      'Wait 5 s',
      '/title must have at least 1 character',
      'title is taken (abc-1)',
      'Something went wrong',
    ])
  })
})
