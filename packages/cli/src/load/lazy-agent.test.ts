import { createAgent, createLog, memoryEngine, serve, type Agent, type App } from '@sdk/server'
import type { Problem } from '@sdk/workbench'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compose } from './compose.ts'
import type { LazyAgent } from './lazy-agent.ts'

const project = { root: '/app', agents: [], api: null, web: null }
const shared = { engine: memoryEngine(), log: createLog({ write: () => {} }) }

const double = createAgent('double', {
  description: 'Doubles',
  input: z.object({ n: z.number() }),
  output: z.number(),
  handler: (_, { n }) => n * 2,
})

describe('a lazy agent', () => {
  it('is loaded once, on its first call', async () => {
    const [first, second] = [late('double', double), late('other', createAgent('other', { handler: () => 1 }))]
    const app = appOf(first, second)
    expect(await call(app, 'POST /agent/double', { n: 4 })).toEqual([200, 8])
    expect(await call(app, 'POST /agent/double', { n: 5 })).toEqual([200, 10])
    expect([first.loads(), second.loads()]).toEqual([1, 0])
  })

  it('validates its input', async () => {
    const app = appOf(late('double', double))
    expect(await call(app, 'POST /agent/double', { n: 'four' })).toMatchObject([400, { error: { details: [{}] } }])
    expect(await call(app, 'POST /agent/double', { n: 4, m: 1 })).toMatchObject([400, {}])
    expect(await call(app, 'POST /agent/%64ouble', { n: 4 })).toEqual([200, 8])
  })

  it('is included in the OpenAPI document with its description', async () => {
    expect(await call(appOf(late('double', double)), 'GET /agent/double')).toMatchObject([
      200,
      { description: 'Doubles' },
    ])
    const [, document] = await call(appOf(late('double', double)), 'GET /api/v1/openapi.json')
    expect(JSON.stringify(document)).toContain('Doubles')
  })

  it('is loaded by ctx.call and ctx.tools, which validate its input', async () => {
    const caller = createAgent('caller', {
      handler: async (ctx, input) => [
        await ctx.call('POST /agent/double', input).catch((error: { code: string }) => error.code),
        (await ctx.tools(['POST /agent/double']))['callDouble']?.description,
      ],
    })
    const open = (): App => appOf(late('double', double), late('caller', caller))
    expect(await call(open(), 'POST /agent/caller', { n: 4 })).toEqual([200, [8, 'Doubles']])
    expect(await call(open(), 'POST /agent/caller', { n: 4, m: 1 })).toEqual([200, ['INVALID_REQUEST', 'Doubles']])
  })

  it('responds with its problem if it fails to load', async () => {
    const problem = { route: 'POST /agent/double', message: 'oh', file: 'src/x.ts', place: null, frame: '' }
    const app = appOf(late('double', problem))
    expect(await call(app, 'POST /agent/double', {})).toMatchObject([500, { error: { code: 'LOAD_FAILED' } }])
  })

  it('has no route if its name is invalid', () => {
    const problem = { route: 'POST /agent/My_Agent', message: 'oh', file: 'src/x.ts', place: null, frame: '' }
    expect(appOf(late('My_Agent', problem)).routes).toEqual([])
  })
})

function late(name: string, agent: Agent | Problem): LazyAgent & { loads(): number } {
  let loads = 0
  let loading: Promise<Agent | Problem> | undefined
  const load = (): Promise<Agent | Problem> => {
    loads++
    return Promise.resolve(agent)
  }
  return { kind: 'lazy', name, loads: () => loads, load: () => (loading ??= load()) }
}

function appOf(...agents: LazyAgent[]): App {
  return compose(project, { agents, router: null, pointers: new Map() }, shared).app
}

/** Calls through a server, which uses `handle`: lazy agents are awaited there. */
async function call(app: App, route: string, input?: unknown): Promise<[number, unknown]> {
  const [method = '', path = ''] = route.split(' ')
  const server = await serve(app, { port: 0, signals: false })
  try {
    const body = input === undefined ? null : JSON.stringify(input)
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(server.url + path, { method, headers, body })
    return [response.status, await response.json()]
  } finally {
    await server.close()
  }
}
