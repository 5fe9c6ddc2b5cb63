import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent, memoryRuns } from '../index.ts'
import { closeAll, deleted, ended, gate, open, positionOf, readLines } from './run-app.test.fixture.ts'

afterEach(closeAll)

describe('takeover', () => {
  it('continues a run in another process after the last finished step, with the same user', async () => {
    const store = memoryRuns()
    const { opened, open: reach } = gate()
    const seen: string[] = []
    let isSecond = false
    const agent = createAgent('essay', {
      durable: true,
      async *handler(ctx) {
        yield 'title'
        const plan = await ctx.step('plan', () => (seen.push('plan'), { parts: ['a', 'b'], at: new Date(0) }))
        seen.push(`${ctx.run.attempt} ${(await ctx.auth?.getUser())?.name} ${plan.at}`)
        for (const part of plan.parts) {
          yield* ctx.step.stream('write', async function* () {
            seen.push(part)
            yield `${part}1`
            if (part === 'b' && !isSecond) {
              reach()
              await new Promise(() => {})
            }
            yield `${part}2`
          })
        }
      },
    })
    const one = open([agent], store)
    const two = open([agent], store)
    const response = await one.send('POST /agent/essay', { user: 'ada', headers: { accept: 'text/event-stream' } })
    await opened
    isSecond = true
    const path = `/agent/essay/runs/${response.headers.get('run-id')}`
    await expect.poll(async () => (await store.get(path.slice(-32)))?.chunks).toBe(4)
    await two.app.ready()
    const reading = response.text().catch(() => 'cut')
    one.app.drain()
    expect(await ended(two, path, 'ada')).toMatchObject({ status: 'done', attempt: 2 })
    expect(seen).toEqual(['plan', '1 ada 1970-01-01T00:00:00.000Z', 'a', 'b', '2 ada 1970-01-01T00:00:00.000Z', 'b'])
    const whole = ['title', 'a1', 'a2', 'b1', 'b2']
    expect(await readLines(await two.send(`GET ${path}/chunks`, { user: 'ada' }))).toEqual(whole)
    const resumed = await two.send(`GET ${path}/chunks?at=1.4`, { user: 'ada' })
    expect(positionOf(resumed)).toEqual({ epoch: 2, index: 3 })
    expect(await readLines(resumed)).toEqual(['b1', 'b2'])
    const headers = { accept: 'text/event-stream', 'last-event-id': '1.4' }
    expect(await (await two.send(`GET ${path}/chunks`, { user: 'ada', headers })).text()).toBe(
      'event: retract\nid: 2.3\ndata: {"keep":3}\n\nid: 2.4\ndata: "b1"\n\nid: 2.5\ndata: "b2"\n\n',
    )
    // The reader on the first process gets the retraction, or is cut off and continues elsewhere.
    const text = await reading
    expect(text === 'cut' || text.includes('event: retract')).toBe(true)
  })

  it('cancels the run of a deleted user', async () => {
    const store = memoryRuns()
    const agent = createAgent('slow', { durable: true, handler: () => new Promise(() => {}) })
    const one = open([agent], store)
    const response = await one.send('POST /agent/slow', { user: 'eve', headers: { prefer: 'respond-async' } })
    deleted.add('eve')
    const two = open([agent], store)
    await two.app.ready()
    one.app.drain()
    expect(await ended(two, response.headers.get('location') ?? '', 'eve')).toMatchObject({ status: 'cancelled' })
  })

  it('fails a run whose input the new schema rejects', async () => {
    const store = memoryRuns()
    const one = open([createAgent('slow', { durable: true, handler: () => new Promise(() => {}) })], store)
    const response = await one.send('POST /agent/slow', { body: { a: 1 }, headers: { prefer: 'respond-async' } })
    const changed = createAgent('slow', { durable: true, input: z.object({ b: z.string() }), handler: () => 1 })
    const two = open([changed], store)
    await two.app.ready()
    one.app.drain()
    const run = await ended(two, response.headers.get('location') ?? '')
    expect(run).toMatchObject({ status: 'failed', error: { code: 'RUN_INPUT_CHANGED', details: [{ pointer: '/b' }] } })
  })
})
