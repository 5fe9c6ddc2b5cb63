import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { createAgent, createLog, createRouter, createSocket, memoryEngine, type App } from '@sdk/server'
import { temporaryFolder } from '@sdk/test-kit'
import type { Problem } from '@sdk/workbench'
import { describe, expect, it } from 'vitest'
import { compose } from './compose.ts'

const project = { root: '/app', agents: [], api: '/app/src/api/index.ts', web: null }
const shared = { engine: memoryEngine(), log: createLog({ write: () => {} }) }
const good = createAgent('good', { handler: () => 'fine' })
const pointers = new Map<string, never>()
const router = createRouter().on('GET /api/status', () => 'ok') as never

describe('compose', () => {
  it('returns the schedules of agents', () => {
    const scheduled = createAgent('good', { durable: true, schedule: '0 7 * * *', handler: () => 'fine' })
    const { schedules } = compose(project, { agents: [scheduled], router, pointers }, shared)
    expect(schedules.map(({ agent, name, next }) => [agent, name, next(0)])).toEqual([
      ['good', '0 7 * * * UTC', 7 * 3_600_000],
    ])
    expect(compose(project, { agents: [good], router, pointers }, shared).schedules).toEqual([])
  })

  it('responds with the problem of a broken agent and runs the other agents', async () => {
    const { app, problems } = compose(project, { agents: [good, broken('POST /agent/bad')], router, pointers }, shared)
    expect(problems).toHaveLength(1)
    expect(await call(app, 'POST', '/agent/good')).toEqual([200, 'fine'])
    expect(await call(app, 'GET', '/api/status')).toEqual([200, 'ok'])
    expect(await call(app, 'POST', '/agent/bad')).toEqual([
      500,
      {
        error: {
          code: 'LOAD_FAILED',
          message: 'src/x.ts:3:7 failed to load: Unexpected token',
          details: [
            {
              code: 'LOAD_FAILED',
              message: 'Unexpected token',
              file: 'src/x.ts',
              line: 3,
              column: 7,
              frame: '> 3 | x',
            },
          ],
        },
      },
    ])
  })

  it('responds with the problem of the API to every API route and socket, and runs the agents', async () => {
    const { app } = compose(project, { agents: [good], router: broken('/api/*'), pointers }, shared)
    expect(await call(app, 'DELETE', '/api/v1/tasks/7')).toMatchObject([500, { error: { code: 'LOAD_FAILED' } }])
    await expect(app.admit({} as never)).rejects.toMatchObject({ code: 'LOAD_FAILED' })
    expect(await call(app, 'POST', '/agent/good')).toEqual([200, 'fine'])
  })

  it('reports a route that is defined twice as a problem of the API', () => {
    const twice = createRouter()
      .on('GET /api/a', () => 1)
      .on('GET /api/a', () => 2) as never
    // The location in the error is relative to the working directory, and the file must exist.
    const folder = temporaryFolder('compose')
    const file = relative(process.cwd(), import.meta.filename)
    mkdirSync(join(folder.path, dirname(file)), { recursive: true })
    writeFileSync(join(folder.path, file), '')
    const here = { ...project, root: folder.path }
    expect(compose(here, { agents: [], router: twice, pointers }, shared).problems).toMatchObject([
      {
        route: '/api/*',
        message: expect.stringContaining('GET /api/a is defined twice: at '),
        file,
      },
    ])
    folder.remove()
  })

  it('reports a route that the web app hides', () => {
    const hidden = createRouter().on('GET /status', () => 'ok') as never
    expect(compose(project, { agents: [], router: hidden, pointers }, shared).problems).toMatchObject([
      {
        route: 'GET /status',
        message: expect.stringContaining('Rename it to GET /api/status'),
        file: 'src/api/index.ts',
      },
    ])
  })

  it('accepts a socket, whose route is only a path', () => {
    const chat = createRouter().socket('/ws/chat', createSocket({ message() {} })) as never
    expect(compose(project, { agents: [], router: chat, pointers }, shared).problems).toEqual([])
  })

  it('skips the route of an agent with an invalid name', () => {
    const { app, problems } = compose(
      project,
      { agents: [broken('POST /agent/My_Agent')], router: null, pointers },
      shared,
    )
    expect(app.routes).toEqual([])
    expect(problems).toHaveLength(1)
  })
})

function broken(route: string): Problem {
  return { route, message: 'Unexpected token', file: 'src/x.ts', place: { line: 3, column: 7 }, frame: '> 3 | x' }
}

async function call(app: App, method: string, path: string): Promise<[number, unknown]> {
  const response = await app.fetch(new Request(`http://localhost${path}`, { method }))
  return [response.status, await response.json()]
}
