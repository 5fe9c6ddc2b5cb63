import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent, createApp, createLog } from '../index.ts'
import { testApp, type TestApp } from '../testing.ts'

const input = z.object({ number: z.number() })
const seen: string[] = []

const child = createAgent('child', {
  durable: true,
  input,
  handler: (ctx, { number }) => ctx.step('work', () => (seen.push(`child ${number}`), number * 10)),
})

const parent = createAgent('parent', {
  durable: true,
  async handler(ctx) {
    await ctx.start(child, { number: 1 }, { at: '1d' })
    return ctx.call(child, { number: 2 })
  },
})

const loose = createAgent('loose', {
  durable: true,
  handler: (ctx) => ctx.call(careless, { number: 1 }),
})

const careless = createAgent('careless', {
  durable: true,
  input,
  async handler(ctx, { number }) {
    seen.push(`mail ${number}`)
    await ctx.step('work', () => null)
  },
})

describe('everyCrash with runs that a run starts', () => {
  let app: TestApp
  afterEach(async () => {
    await app.close()
    seen.length = 0
  })

  async function everyCrash(agent: 'parent' | 'loose'): Promise<string[]> {
    app = await testApp(createApp({ agents: [parent, child, loose, careless], log: createLog({ write() {} }) }))
    return app.runs.everyCrash(agent, undefined, { effects: () => seen })
  }

  it('crashes at their steps, too, and starts none of them in the app itself', async () => {
    const crashes = await everyCrash('parent')
    expect(crashes).toContain('after the step "work" is stored (child)')
    expect(crashes.at(-1)).toMatch(/before the run ends/)
    const count = seen.length
    await app.runs.advance('2d')
    expect(seen).toHaveLength(count)
  })

  it('finds a mistake in an agent that was called', async () => {
    await expect(everyCrash('loose')).rejects.toThrow('the effect "mail 1" happened 2 times instead of 1')
  })
})
