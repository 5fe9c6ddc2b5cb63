import type { Page, Run, Thread, ThreadSummary } from '@sdk/protocol'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { createAgent, createApp, type RoutesOf } from '../index.ts'

describe('createApp', () => {
  const plain = createAgent('plain', { handler: () => 1 })
  const sum = createAgent('sum', { durable: true, handler: () => ({ sum: 7 }) })
  const write = createAgent('write', {
    durable: true,
    async *handler() {
      yield 'text'
    },
  })

  it('knows one route for each event of an agent', () => {
    const buy = createAgent('buy', {
      durable: true,
      events: { approval: z.object({ ok: z.boolean() }) },
      handler: () => 1,
    })
    const _app = createApp({ agents: [plain, sum, buy] })
    type Known = RoutesOf<typeof _app>
    type IO = Known['POST /agent/buy/runs/:run/events/approval']['~io']
    expectTypeOf<IO['input']>().toEqualTypeOf<{ ok: boolean }>()
    expectTypeOf<IO['query']>().toEqualTypeOf<{ id?: string | undefined }>()
    expectTypeOf<
      Extract<keyof Known, `${string}/events/${string}`>
    >().toEqualTypeOf<'POST /agent/buy/runs/:run/events/approval'>()
  })

  it('knows the routes for the runs of durable agents', () => {
    const _app = createApp({ agents: [plain, sum, write] })
    type Known = RoutesOf<typeof _app>
    type Output<R extends keyof Known> = Known[R]['~io' & keyof Known[R]]['output' &
      keyof Known[R]['~io' & keyof Known[R]]]
    expectTypeOf<Output<'GET /agent/sum/runs/:run'>>().toEqualTypeOf<Run<{ sum: number }>>()
    expectTypeOf<Output<'GET /agent/write/runs'>>().toEqualTypeOf<Page<Run<null>>>()
    expectTypeOf<Output<'GET /agent/write/runs/:run/chunks'>>().toEqualTypeOf<string>()
    expectTypeOf<Output<'GET /agent/sum/threads/:thread'>>().toEqualTypeOf<Thread<{ sum: number }, null>>()
    expectTypeOf<Output<'GET /agent/sum/threads'>>().toEqualTypeOf<Page<ThreadSummary>>()
    expectTypeOf<Output<'DELETE /agent/sum/threads/:thread'>>().toEqualTypeOf<null>()
    expectTypeOf<Extract<keyof Known, `${string}/plain${string}`>>().toEqualTypeOf<'POST /agent/plain'>()
  })
})
