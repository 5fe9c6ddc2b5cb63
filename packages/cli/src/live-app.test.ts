import { createAgent, createLog, createRouter, memoryEngine, serve, type Router, type Server } from '@sdk/server'
import { createSocketHub } from '@sdk/server/node'
import { afterEach, describe, expect, it } from 'vitest'
import { compose, type Composed } from './compose.ts'
import { createLiveApp, type LiveApp } from './live-app.ts'

const lines: string[] = []
const log = createLog({ write: (line) => void lines.push(line) })
const project = { root: '/app', agents: [], api: null, web: null }

describe('createLiveApp', () => {
  let server: Server | undefined
  afterEach(async () => {
    await server?.close()
    lines.length = 0
  })

  it('lets calls wait for the first app and for the next one, and swaps at once', async () => {
    const live = await begin()
    const early = answer()
    live.show(Promise.resolve(app(() => 'one')))
    expect(await early).toBe('one')

    let finish: (next: Composed) => void = () => {}
    live.show(new Promise<Composed>((resolve) => (finish = resolve)))
    const during = answer()
    finish(app(() => 'two'))
    expect(await during).toBe('two')
    expect(live.routes.map(({ route }) => route)).toEqual(['POST /agent/good'])
  })

  it('closes the old app when it has sent its last answer, not before', async () => {
    const live = await begin()
    let goOn = (): void => {}
    const closed: string[] = []
    const slow = app(async function* () {
      yield 'began'
      await new Promise<void>((resolve) => (goOn = resolve))
      yield closed.join() || 'open'
    })
    const close = slow.app.close.bind(slow.app)
    live.show(Promise.resolve({ ...slow, app: { ...slow.app, close: () => (closed.push('closed'), close()) } }))
    const response = await post()
    const chunks = response.body?.values()
    await chunks?.next()
    live.show(Promise.resolve(app(() => 'new')))
    expect(await answer()).toBe('new')
    goOn()
    expect(new TextDecoder().decode((await chunks?.next())?.value)).toBe('"open"\n')
    await chunks?.next()
    await expect.poll(() => closed).toEqual(['closed'])
  })

  it('does not close an app that is shown again', async () => {
    const live = await begin()
    const closed: string[] = []
    const one = app(() => 'one')
    const same = { ...one, app: { ...one.app, close: async () => void closed.push('closed') } }
    live.show(Promise.resolve(same))
    live.show(Promise.resolve(same))
    expect(await answer()).toBe('one')
    live.show(Promise.resolve(app(() => 'two')))
    expect(closed).toEqual([])
    expect(await answer()).toBe('two')
    await expect.poll(() => closed).toEqual(['closed'])
  })

  it('keeps the last app where the next one cannot be made', async () => {
    const live = await begin()
    live.show(Promise.resolve(app(() => 'one')))
    live.show(Promise.reject(new Error('disk full')))
    expect(await answer()).toBe('one')
    expect(lines.join('')).toContain('disk full')
  })

  it('begins what onStart of the next app begins before it is called, and ends that of the last one', async () => {
    const live = await begin()
    const seen: string[] = []
    const start = (name: string) => async (): Promise<() => void> => {
      await Promise.resolve()
      seen.push(`${name} began`)
      return () => void seen.push(`${name} ended`)
    }
    live.show(Promise.resolve(app(() => seen.join(), createRouter().onStart(start('one')))))
    expect(await answer()).toBe('one began')
    live.show(Promise.resolve(app(() => seen.length, createRouter().onStart(start('two')))))
    expect(await answer()).toBeGreaterThanOrEqual(2)
    await expect.poll(() => seen.toSorted()).toEqual(['one began', 'one ended', 'two began'])
    await server?.close()
    expect(seen.at(-1)).toBe('two ended')
  })

  it('goes on where onStart fails, and says so', async () => {
    const live = await begin()
    const failing = createRouter().onStart(() => Promise.reject(new Error('the queue is away')))
    live.show(Promise.resolve(app(() => 'here', failing)))
    expect(await answer()).toBe('here')
    expect(lines.join('')).toContain('the queue is away')
  })

  async function begin(): Promise<LiveApp> {
    const live = createLiveApp(log, createSocketHub({ engine: memoryEngine(), log }))
    server = await serve(live, { port: 0, signals: false })
    return live
  }

  function post(): Promise<Response> {
    return fetch(`${server?.url}/agent/good`, { method: 'POST' })
  }

  async function answer(): Promise<unknown> {
    return (await post()).json()
  }
})

function app(handler: () => unknown, router: Router | null = null): Composed {
  const agents = [createAgent('good', { handler })]
  return compose(project, { agents, router, pointers: new Map() }, { engine: memoryEngine(), log })
}
