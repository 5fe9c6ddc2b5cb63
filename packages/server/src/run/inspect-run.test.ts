import { afterEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createAgent, memoryRuns } from '../index.ts'
import { inspectRun } from './inspect-run.ts'
import { closeAll, ended, open } from './run-app.test.fixture.ts'

afterEach(closeAll)

it('traces the kind, attempts, process and time of each step', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const work = createAgent('work', {
    durable: true,
    events: { go: z.object({ ok: z.boolean() }) },
    async *handler(ctx) {
      await ctx.step('flaky', ({ attempt }) => {
        if (attempt === 1) throw new Error('once')
        return { done: true }
      })
      await ctx.step('flaky', () => 2)
      yield* ctx.step.stream('write', async function* () {
        yield { text: 'a' }
      })
      await ctx.sleep('nap', 10)
      await ctx.wait('go')
    },
  })
  const store = memoryRuns()
  const app = open([work], store)
  const { body } = await app.json('POST /agent/work', { body: {}, headers: { prefer: 'respond-async' } })
  const { id } = body as { id: string }
  await expect.poll(async () => (await store.get(id))?.status).toBe('waiting')
  await app.json(`POST /agent/work/runs/${id}/events/go`, { body: { ok: true } })
  await ended(app, `/agent/work/runs/${id}`)
  const found = await inspectRun(store, id)
  const { steps = [], attempts = [] } = found ?? {}
  expect(steps.map(({ name, kind, attempts: tries }) => [name, kind, tries])).toEqual([
    ['flaky', 'step', 2],
    ['flaky#2', 'step', 1],
    ['write', 'stream', 1],
    ['nap', 'sleep', 1],
    ['go', 'wait', 1],
  ])
  expect(new Set(steps.map(({ process }) => process)).size).toBe(1)
  // The first attempt failed, and the second one began after a delay of 750 ms.
  expect(Date.parse(steps[0]?.endedAt ?? '') - Date.parse(steps[0]?.startedAt ?? '')).toBeGreaterThanOrEqual(700)
  expect(steps.map(({ startedAt }) => startedAt)).toEqual(steps.map(({ startedAt }) => startedAt).toSorted())
  expect(attempts).toMatchObject([
    { epoch: 1, steps: 5, keep: null },
    { epoch: 2, keep: null },
  ])
  expect(found?.chunks).toEqual([{ text: '{"text":"a"}', size: 12, epoch: 1 }])
})
