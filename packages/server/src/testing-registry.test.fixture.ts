/// <reference types="node" />
/** The routes of an app under test, which testing-registry.test.ts compiles as a separate program. */
import type { HasTypes, Run } from '@sdk/protocol'
import type { TestApp } from '@sdk/server/testing'
import { expectTypeOf } from 'vitest'

declare module '@sdk/protocol' {
  interface Routes {
    'POST /agent/echo': HasTypes<{ input: { text: string }; output: { said: string }; stream: true; query: {} }>
    'POST /agent/buy': HasTypes<{ input: { cost: number }; output: { ok: boolean }; stream: false; query: {} }>
    'GET /agent/buy/runs/:run': HasTypes<{ input: unknown; output: Run<{ ok: boolean }>; stream: false; query: {} }>
    'POST /agent/buy/runs/:run/events/approval': HasTypes<{
      input: { ok: boolean }
      output: null
      stream: false
      query: { id?: string }
    }>
    'GET /api/v1/tasks': HasTypes<{
      input: unknown
      output: { data: string[] }
      stream: false
      query: { done?: boolean }
    }>
    'PATCH /api/v1/tasks/:id': HasTypes<{ input: { done: boolean }; output: { id: string }; stream: false; query: {} }>
  }
  interface Sockets {
    '/ws/chat': HasTypes<{ send: { text: string }; receive: Said | { type: 'people'; people: string[] } }>
  }
}

interface Said {
  type: 'said'
  text: string
}

/** Calls in a test, with the errors that a compiler must report. */
export async function use(app: TestApp, any: string): Promise<void> {
  expectTypeOf(await app.call('POST /agent/echo', { text: 'hi' })).toEqualTypeOf<{ said: string }[]>()
  expectTypeOf(await app.agent('echo').call({ text: 'hi' })).toEqualTypeOf<{ said: string }[]>()
  expectTypeOf(await app.agent('echo').collect({ text: 'hi' })).toEqualTypeOf<{ said: string }[]>()
  const list = await app.as({ name: 'Ada' }).call('GET /api/v1/tasks', { query: { done: true } })
  expectTypeOf(list).toEqualTypeOf<{ data: string[] }>()
  expectTypeOf(await app.call('GET /api/v1/tasks', undefined, { query: {} })).toEqualTypeOf<{ data: string[] }>()
  const changed = await app.call('PATCH /api/v1/tasks/:id', { done: true }, { params: { id: 7 } })
  expectTypeOf(changed).toEqualTypeOf<{ id: string }>()

  // @ts-expect-error -- a string is required
  await app.call('POST /agent/echo', { text: 7 })
  // @ts-expect-error -- the same, by agent name
  await app.agent('echo').collect({})
  // @ts-expect-error -- the path has an id
  await app.call('PATCH /api/v1/tasks/:id', { done: true })
  // @ts-expect-error -- unknown parameter
  await app.call('GET /api/v1/tasks', { query: { dune: true } })

  // Intentionally invalid input can be sent.
  expectTypeOf(await app.send('POST /agent/echo', { text: 7 })).toEqualTypeOf<Response>()
  await app.send('GET /api/v1/tasks', { query: { dune: true }, headers: { accept: 'text/html' } })
  // Unknown routes can be called; their result is unknown.
  expectTypeOf(await app.call('GET /api/nothing')).toBeUnknown()
  expectTypeOf(await app.call('POST /api/nothing', { any: 'thing' })).toBeUnknown()
  expectTypeOf(await app.agent('nobody').call()).toBeUnknown()
  expectTypeOf(await app.call(any, undefined, { query: { any: 1 } })).toBeUnknown()
}

/** The same for runs. */
export async function useRuns(app: TestApp): Promise<void> {
  const run = await app.runs.start('buy', { cost: 1 })
  expectTypeOf(run).toEqualTypeOf<Run<{ ok: boolean }>>()
  expectTypeOf(await app.runs.send(run, 'approval', { ok: true })).toEqualTypeOf<Run>()
  await app.runs.send(run.id, 'approval', { ok: true }, { id: 'legal' })
  await app.runs.advance('2d')
  expectTypeOf(await app.runs.everyCrash('buy', { cost: 1 }, { effects: () => [1] })).toEqualTypeOf<string[]>()
  await app.runs.everyCrash('sell')

  // @ts-expect-error -- a number is required
  await app.runs.start('buy', { cost: '1' })
  // @ts-expect-error -- the same
  await app.runs.everyCrash('buy', { cost: '1' })
  // @ts-expect-error -- a boolean is required
  await app.runs.send(run, 'approval', { ok: 1 })
  // @ts-expect-error -- the value is required
  await app.runs.send(run, 'approval')
  // Unknown agents and events are allowed.
  expectTypeOf(await app.runs.start('sell', { any: 'thing' })).toEqualTypeOf<Run>()
  await app.runs.send(run, 'nothing', 7)
}

/** The same for sockets. */
export async function useSocket(app: TestApp, any: string): Promise<void> {
  const chat = await app.as({ name: 'Ada' }).socket('/ws/chat')
  chat.send({ text: 'hi' })
  expectTypeOf(await chat.next()).toEqualTypeOf<Said | { type: 'people'; people: string[] }>()
  expectTypeOf(await chat.next((message) => message.type === 'said')).toEqualTypeOf<Said>()
  const inGarden = await app.socket('/ws/chat?room=garden')
  expectTypeOf((await inGarden.next()).type).toEqualTypeOf<'said' | 'people'>()
  await inGarden.next(({ type }) => type === 'people', { timeoutMs: 100 })

  // @ts-expect-error -- a string is required
  chat.send({ text: 7 })
  // @ts-expect-error -- unknown message
  await chat.next((message) => message.type === 'sung')

  // Unknown sockets can be opened; their messages are unknown.
  expectTypeOf(await (await app.socket('/ws/nothing')).next()).toBeUnknown()
  expectTypeOf(await (await app.socket(any)).next()).toBeUnknown()
}
