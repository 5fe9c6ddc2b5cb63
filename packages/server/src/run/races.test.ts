import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../index.ts'
import { closeAll, createClockStore, ended, gate, open, type RunApp } from './run-app.test.fixture.ts'

afterEach(closeAll)

const HOUR = 3_600_000
const events = { approval: z.object({ ok: z.boolean() }), stop: z.object({}) }

async function start(app: RunApp, agent: string): Promise<string> {
  const response = await app.send(`POST /agent/${agent}`, { headers: { prefer: 'respond-async' } })
  return response.headers.get('location') ?? ''
}

/** Waits until a run pauses for the nth time. */
async function paused(app: RunApp, path: string, attempt: number): Promise<unknown> {
  await expect.poll(() => app.run(path), { timeout: 15_000 }).toMatchObject({ status: 'waiting', attempt })
  return (await app.run(path)).waiting
}

describe('a race', () => {
  it.each([false, true])('of a wait and a sleep has the same winner each time (reversed: %s)', async (isReversed) => {
    const { store, advance } = createClockStore()
    const won: unknown[] = []
    const agent = createAgent('race', {
      durable: true,
      events,
      async handler(ctx) {
        const racers = [
          () => ctx.sleep('deadline', '1h').then(() => 'late'),
          () => ctx.wait('approval').then(() => 'approved'),
        ]
        const winner = await Promise.race((isReversed ? racers.toReversed() : racers).map((begin) => begin()))
        won.push(winner)
        await ctx.step('charge', () => 1)
        await ctx.sleep('follow up', '2h')
        await ctx.sleep('once more', '3h')
        return winner
      },
    })
    const app = open([agent], store)
    const path = await start(app, 'race')
    expect(await paused(app, path, 1)).toMatchObject({ event: 'approval' })
    await app.json(`POST ${path}/events/approval`, { body: { ok: true } })
    await paused(app, path, 2)
    advance(HOUR) // the loser is due
    await paused(app, path, 3)
    advance(HOUR)
    await paused(app, path, 4)
    advance(3 * HOUR)
    expect(await ended(app, path)).toMatchObject({ status: 'done', output: 'approved' })
    expect(won).toEqual(['approved', 'approved', 'approved', 'approved'])
  })

  it('of a step and a short sleep has the same winner each time', async () => {
    const { store, advance } = createClockStore()
    const { opened, open: finish } = gate()
    const agent = createAgent('race', {
      durable: true,
      async handler(ctx) {
        const slow = ctx.step('slow', () => opened.then(() => 'slow'))
        const winner = await Promise.race([slow, ctx.sleep('limit', 20).then(() => 'limit')])
        await ctx.step('fallback', () => finish())
        await slow
        await ctx.sleep('later', '1h')
        return winner
      },
    })
    const app = open([agent], store)
    const path = await start(app, 'race')
    await paused(app, path, 1)
    advance(HOUR)
    expect(await ended(app, path)).toMatchObject({ status: 'done', output: 'limit' })
  })
})
