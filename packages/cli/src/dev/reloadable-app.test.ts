import { once } from 'node:events'
import { createAgent, createLog, createRouter, memoryEngine, serve, type Router, type Server } from '@sdk/server'
import { createSocketHub } from '@sdk/server/node'
import type { Problem } from '@sdk/workbench'
import { afterEach, describe, expect, it } from 'vitest'
import { compose, type ComposedApp } from '../load/compose.ts'
import { createReloadableApp, type ReloadableApp } from './reloadable-app.ts'

const lines: string[] = []
const reported: Problem[] = []
const log = createLog({ write: (line) => void lines.push(line) })
const project = { root: import.meta.dirname, agents: [], api: null, web: null }

describe('createReloadableApp', () => {
  let server: Server | undefined
  afterEach(async () => {
    await server?.close()
    lines.length = 0
    reported.length = 0
  })

  it('holds requests until the first or the next app is ready', async () => {
    const live = await begin()
    const early = fetchResult()
    void live.replaceWith(Promise.resolve(app(() => 'one')))
    expect(await early).toBe('one')

    let finish: (next: ComposedApp) => void = () => {}
    void live.replaceWith(new Promise<ComposedApp>((resolve) => (finish = resolve)))
    const during = fetchResult()
    finish(app(() => 'two'))
    expect(await during).toBe('two')
    expect(live.routes.map(({ route }) => route)).toEqual(['POST /agent/good'])
  })

  it('closes the old app only after its last response', async () => {
    const live = await begin()
    let goOn = (): void => {}
    const closed: string[] = []
    const slow = app(async function* () {
      yield 'began'
      await new Promise<void>((resolve) => (goOn = resolve))
      yield closed.join() || 'open'
    })
    const close = slow.app.close.bind(slow.app)
    void live.replaceWith(
      Promise.resolve({ ...slow, app: { ...slow.app, close: () => (closed.push('closed'), close()) } }),
    )
    const response = await post()
    const chunks = response.body?.values()
    await chunks?.next()
    void live.replaceWith(Promise.resolve(app(() => 'new')))
    expect(await fetchResult()).toBe('new')
    goOn()
    expect(new TextDecoder().decode((await chunks?.next())?.value)).toBe('"open"\n')
    await chunks?.next()
    await expect.poll(() => closed).toEqual(['closed'])
  })

  it('does not close an app that is replaced with itself', async () => {
    const live = await begin()
    const closed: string[] = []
    const one = app(() => 'one')
    const same = { ...one, app: { ...one.app, close: async () => void closed.push('closed') } }
    void live.replaceWith(Promise.resolve(same))
    void live.replaceWith(Promise.resolve(same))
    expect(await fetchResult()).toBe('one')
    void live.replaceWith(Promise.resolve(app(() => 'two')))
    expect(closed).toEqual([])
    expect(await fetchResult()).toBe('two')
    await expect.poll(() => closed).toEqual(['closed'])
  })

  it('keeps the last app if the next one cannot be created', async () => {
    const live = await begin()
    void live.replaceWith(Promise.resolve(app(() => 'one')))
    void live.replaceWith(Promise.reject(new Error('disk full')))
    expect(await fetchResult()).toBe('one')
    expect(lines.join('')).toContain('disk full')
  })

  it('runs the cleanup of onStart before onStart of the next app, while the old app still responds', async () => {
    const live = await begin()
    const seen: string[] = []
    const start = (name: string) => async (): Promise<() => Promise<void>> => {
      await Promise.resolve()
      seen.push(`${name} began`)
      return async () => {
        await Promise.resolve()
        seen.push(`${name} ended`)
      }
    }
    let goOn = (): void => {}
    const slow = async function* (): AsyncGenerator<string> {
      yield seen.join()
      await new Promise<void>((resolve) => (goOn = resolve))
      yield 'to its end'
    }
    void live.replaceWith(Promise.resolve(app(slow, createRouter().onStart(start('one')))))
    const chunks = (await post()).body?.values()
    const read = async (): Promise<string> => new TextDecoder().decode((await chunks?.next())?.value)
    expect(await read()).toBe('"one began"\n')
    void live.replaceWith(Promise.resolve(app(() => seen.join(), createRouter().onStart(start('two')))))
    expect(await fetchResult()).toBe('one began,one ended,two began')
    goOn()
    expect(await read()).toBe('"to its end"\n')
    await chunks?.return?.()
    await server?.close()
    expect(seen.join()).toBe('one began,one ended,two began,two ended')
  })

  it('does not wait for a hanging cleanup, and does not start an app that was already replaced', async () => {
    const live = await begin()
    const seen: string[] = []
    const stuck = createRouter().onStart(() => () => new Promise(() => {}))
    const start = (name: string): Router => createRouter().onStart(() => void seen.push(name))
    void live.replaceWith(Promise.resolve(app(() => 'one', stuck)))
    expect(await fetchResult()).toBe('one')
    void live.replaceWith(Promise.resolve(app(() => 'two', start('two'))))
    const early = fetchResult()
    void live.replaceWith(Promise.resolve(app(() => 'three', start('three'))))
    expect([await early, await fetchResult()]).toEqual(['three', 'three'])
    await expect.poll(() => lines.join('')).toContain('has not finished')
    expect(seen).toEqual(['three'])
  })

  it('does not call an app that was replaced during its onStart', async () => {
    const live = await begin()
    let goOn = (): void => {}
    const slow = createRouter().onStart(() => new Promise<void>((resolve) => (goOn = resolve)))
    void live.replaceWith(Promise.resolve(app(() => 'one', slow)))
    const waiting = fetchResult()
    await once((server as Server).http, 'request')
    void live.replaceWith(Promise.resolve(app(() => 'two')))
    expect(await fetchResult()).toBe('two')
    goOn()
    expect(await waiting).toBe('two')
  })

  it('continues if onStart fails, and reports its location until the next app', async () => {
    const live = await begin()
    const failing = createRouter().onStart(() => Promise.reject(new Error('the queue is away')))
    void live.replaceWith(Promise.resolve(app(() => 'here', failing)))
    expect(await fetchResult()).toBe('here')
    expect(reported).toMatchObject([
      {
        message: 'onStart failed: the queue is away',
        file: 'reloadable-app.test.ts',
        frame: expect.stringContaining('away'),
      },
    ])
    expect(live.problems).toEqual(reported)
    void live.replaceWith(Promise.resolve(app(() => 'well')))
    expect([await fetchResult(), live.problems]).toEqual(['well', []])
  })

  async function begin(): Promise<ReloadableApp> {
    const live = createReloadableApp({
      log,
      sockets: createSocketHub({ engine: memoryEngine(), log }),
      onStartFailed: (problem) => void reported.push(problem),
    })
    server = await serve(live, { port: 0, signals: false })
    return live
  }

  function post(): Promise<Response> {
    return fetch(`${server?.url}/agent/good`, { method: 'POST' })
  }

  async function fetchResult(): Promise<unknown> {
    return (await post()).json()
  }
})

function app(handler: () => unknown, router: Router | null = null): ComposedApp {
  const agents = [createAgent('good', { handler })]
  return compose(project, { agents, router, pointers: new Map() }, { engine: memoryEngine(), log })
}
