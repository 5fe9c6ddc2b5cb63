import { describe, expect, it } from 'vitest'
import { createAgent, createApp, createRouter, serve, type App, type Log } from '../index.ts'

interface Line {
  readonly level: string
  readonly message: string
  readonly fields: Record<string, unknown>
}

function recorder(): { log: Log; lines: Line[] } {
  const lines: Line[] = []
  const at =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}) =>
      void lines.push({ level, message, fields })
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } }
}

function open(log: Log, checks = {}): App {
  return createApp({
    log,
    checks,
    metrics: true,
    agents: [
      createAgent('count', {
        async *handler(_ctx, to: number) {
          for (let n = 1; n <= to; n++) yield await Promise.resolve(n)
        },
      }),
    ],
    router: createRouter()
      .on('GET /api/hello/:name', (ctx) => {
        ctx.log.info('hello', { trace: ctx.trace.traceparent.slice(0, 35) })
        return { hello: ctx.params.name }
      })
      .on('GET /api/fails', () => {
        throw new Error('secret')
      }),
  })
}

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const adapters = ['app.fetch', 'serve'] as const

describe.each(adapters)('an observed app, through %s', (adapter) => {
  async function through(
    app: App,
    run: (send: (path: string, init?: RequestInit) => Promise<Response>) => Promise<void>,
  ) {
    if (adapter === 'app.fetch') {
      await run((path, init) => app.fetch(new Request(`http://localhost${path}`, init)))
      return app.close()
    }
    const server = await serve(app, { port: 0, signals: false })
    await run((path, init) => fetch(server.url + path, init))
    return server.close()
  }

  it('logs one line per request, with its id, route, status, size and trace', async () => {
    const { log, lines } = recorder()
    await through(open(log), async (send) => {
      const headers = { traceparent: TRACE, 'x-request-id': 'request-one' }
      await (await send('/api/hello/ada?token=secret', { headers })).text()
      const stream = { method: 'POST', body: '3', headers: { 'content-type': 'application/json' } }
      await (await send('/agent/count', stream)).text()
      await (await send('/api/fails')).text()
      await (await send('/nowhere')).text()
    })
    const requests = lines.filter(({ fields }) => 'ms' in fields)
    expect(requests.map(({ level, message }) => [level, message])).toEqual([
      ['info', 'GET /api/hello/:name 200'],
      ['info', 'POST /agent/count 200'],
      ['error', 'GET /api/fails 500'],
      ['info', 'GET /nowhere 404'],
    ])
    expect(requests[0]?.fields).toMatchObject({
      requestId: 'request-one',
      route: 'GET /api/hello/:name',
      target: '/api/hello/ada',
      bytes: 15,
      traceId: TRACE.slice(3, 35),
      aborted: false,
    })
    expect(requests[1]?.fields).toMatchObject({ bytes: 6, userId: null, traceId: null })
    expect(lines.find(({ message }) => message === 'hello')?.fields).toMatchObject({
      requestId: 'request-one',
      traceId: TRACE.slice(3, 35),
      trace: TRACE.slice(0, 35),
    })
  })

  it('exposes metrics and health checks', async () => {
    let isWell = true
    const app = open(recorder().log, { store: () => isWell })
    await through(app, async (send) => {
      await (await send('/api/hello/ada')).text()
      const metrics = await send('/metrics')
      expect(metrics.headers.get('content-type')).toContain('version=0.0.4')
      expect(await metrics.text()).toMatch(/route="GET \/api\/hello\/:name".* 1\n/)
      expect(await (await send('/healthz')).json()).toEqual({ status: 'ok' })
      expect((await send('/readyz')).status).toBe(200)
      isWell = false
      const failing = await send('/readyz')
      expect([failing.status, await failing.json()]).toEqual([503, { status: 'failing', failed: ['store'] }])
      app.drain()
      expect(await (await send('/readyz')).json()).toEqual({ status: 'draining' })
    })
  })

  it('returns 404 for /metrics by default', async () => {
    await through(createApp({ log: recorder().log }), async (send) => {
      expect((await send('/metrics')).status).toBe(404)
    })
  })
})
