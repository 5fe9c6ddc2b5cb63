import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createAgent, createApp, createLog, type Agent, type DurableContext } from '../index.ts'
import { testApp, type EveryCrashOptions, type TestApp } from '../testing.ts'

const apps: TestApp[] = []

afterEach(async () => {
  vi.unstubAllGlobals()
  for (const app of apps.splice(0)) await app.close()
})

async function open(agent: unknown): Promise<TestApp> {
  const app = await testApp(createApp({ agents: [agent as Agent], log: createLog({ write() {} }) }))
  apps.push(app)
  return app
}

async function everyCrash(agent: unknown, input?: unknown, options?: EveryCrashOptions): Promise<string[]> {
  const app = await open(agent)
  return app.runs.everyCrash((agent as Agent).name, input, options)
}

const messages: unknown[] = []
const effects = (): unknown[] => messages

describe('everyCrash finds', () => {
  it('an effect outside of a step', async () => {
    const agent = createAgent('buy', {
      durable: true,
      async handler(ctx) {
        await ctx.step('reserve', () => messages.push('reserved'))
        messages.push('mail')
        await ctx.step('pay', () => messages.push('paid'))
      },
    })
    await expect(everyCrash(agent, null, { effects })).rejects.toThrow(
      'the agent buy is not durable: after a crash after the step "pay" is stored (buy), the effect "mail" happened 2 ' +
        'times instead of 1, an effect outside of a step: move it into a step',
    )
  })

  it('an effect after the last step', async () => {
    const agent = createAgent('buy', {
      durable: true,
      async handler(ctx) {
        await ctx.step('pay', () => 1)
        messages.push('mail')
      },
    })
    await expect(everyCrash(agent, null, { effects })).rejects.toThrow(/before the run ends \(buy\), the effect "mail"/)
  })

  it('a fetch outside of a step', async () => {
    vi.stubGlobal('fetch', async () => new Response('ok'))
    const own = globalThis.fetch
    const agent = createAgent('buy', {
      durable: true,
      async handler(ctx) {
        await fetch('https://mail.example.com/send', { method: 'POST', body: 'hello' })
        await ctx.sleep('a day', '1d')
      },
    })
    await expect(everyCrash(agent)).rejects.toThrow(
      /the step "a day" is stored \(buy\), the effect fetch POST https:\/\/mail.example.com\/send hello happened 3 times instead of 2/,
    )
    expect(globalThis.fetch).toBe(own)
  })

  it('a random value outside of a step, in the output, in a chunk and in an effect', async () => {
    const inOutput = createAgent('buy', {
      durable: true,
      async handler(ctx) {
        const id = crypto.randomUUID()
        await ctx.step('pay', () => 1)
        return { id }
      },
    })
    await expect(everyCrash(inOutput)).rejects.toThrow(
      /^the agent buy is not durable: after a crash before the step "pay" is stored \(buy\), the output of buy is .*, a random value or a time outside of a step/,
    )
    const inChunk = createAgent('buy', {
      durable: true,
      async *handler(ctx) {
        const id = crypto.randomUUID()
        await ctx.step('pay', () => 1)
        yield { id }
      },
    })
    await expect(everyCrash(inChunk)).rejects.toThrow(/chunk 0 of buy is .* a random value or a time outside of a step/)
    const inEffect = createAgent('buy', {
      durable: true,
      async handler(ctx) {
        const id = crypto.randomUUID()
        await ctx.step('pay', () => void messages.push(`pay ${id}`))
      },
    })
    await expect(everyCrash(inEffect, null, { effects })).rejects.toThrow(
      /the effect "pay .*" became "pay .*", a random value outside of a step/,
    )
  })

  it('a value outside of a step that differs just as the value of a step does', async () => {
    let [runs, attempts] = [0, 0]
    const before = (): void => void ([runs, attempts] = [runs + 1, 0])
    const isFirst = (): number => (++attempts === 1 ? 1 : 0)
    const buy = (work: (ctx: DurableContext, first: number) => unknown, stream = false): Promise<string[]> => {
      runs = 0
      const handler = (ctx: unknown): unknown => work(ctx as DurableContext, isFirst())
      return everyCrash(createAgent('buy', { durable: true, stream, handler } as never), null, { before })
    }
    const step = (ctx: DurableContext): Promise<number> => ctx.step('id', () => (runs === 1 ? 1 : 0))
    await expect(buy(async (ctx, first) => ({ id: await step(ctx), first }))).rejects.toThrow(
      'after a crash before the run ends (buy), the output of buy is {"id":0,"first":0} instead of {"id":0,"first":1}',
    )
    await expect(
      buy(async (ctx, first) => {
        await step(ctx)
        await ctx.step(`pay ${first}`, () => true)
      }),
    ).rejects.toThrow('after a crash after the step "pay 1" is stored (buy), the step "pay 0" was added')
    const chunks = async function* (ctx: DurableContext, first: number): AsyncGenerator<object> {
      yield { id: await step(ctx), first }
    }
    await expect(buy(chunks, true)).rejects.toThrow('run ends (buy), chunk 0 of buy is {"id":0,"first":0} instead of')
  })

  it('a wrong name in a loop', async () => {
    const queue = new Set<string>()
    const agent = createAgent('send', {
      durable: true,
      async handler(ctx) {
        // After a crash, the list is shorter, but the steps are counted from the beginning.
        for (const item of queue)
          await ctx.step('send', () => {
            messages.push(item)
            queue.delete(item)
          })
      },
    })
    const before = (): void => ['a', 'b', 'c'].forEach((item) => queue.add(item))
    await expect(everyCrash(agent, null, { effects, before })).rejects.toThrow(
      'after a crash before the step "send" is stored (send), the step "send#3" is missing, a wrong name in a loop: ' +
        'name each step after its item, as in `send ${item.id}`',
    )
  })

  it('a name of a step that changes, and a handler that takes another way', async () => {
    const named = createAgent('buy', {
      durable: true,
      handler: (ctx) => ctx.step(`pay ${crypto.randomUUID()}`, () => 1),
    })
    await expect(everyCrash(named)).rejects.toThrow(/the step "pay .*" is missing, since the handler takes another way/)
    let calls = 0
    const failing = createAgent('buy', {
      durable: true,
      async handler(ctx) {
        calls += 1
        await ctx.step('pay', () => 1)
        if (calls > 1) throw new Error('no')
      },
    })
    await expect(everyCrash(failing)).rejects.toThrow(/the run of buy is failed with .* instead of done/)
  })
})

describe('everyCrash accepts', () => {
  it('steps whose values differ, that fail at first, that run at once and whose effects are repeated', async () => {
    let last = 0
    const agent = createAgent('work', {
      durable: true,
      input: z.object({ items: z.array(z.string()) }),
      async handler(ctx, { items }) {
        const order = await ctx.step('order', () => ({ id: ++last, token: crypto.randomUUID(), at: new Date() }))
        const parts = await Promise.all(
          items.map((item) => ctx.step(`read ${item}`, () => (messages.push(item), item))),
        )
        await ctx.step(`pack ${order.id}`, () => void messages.push(`packed ${order.id}`))
        await ctx.step('flaky', ({ attempt, key }) => {
          if (attempt === 1) throw new Error('try again')
          messages.push(`paid ${key} ${order.id}`)
        })
        return { ...order, text: `order ${order.id}: ${parts.join(', ')}`, run: ctx.run.id }
      },
    })
    const crashes = await everyCrash(agent, { items: ['a', 'b'] }, { effects })
    expect(crashes).toEqual([
      'before the step "order" is stored (work)',
      'after the step "order" is stored (work)',
      'before the step "read a" is stored (work)',
      'after the step "read a" is stored (work)',
      'before the step "read b" is stored (work)',
      'after the step "read b" is stored (work)',
      'before the step "pack 1" is stored (work)',
      'after the step "pack 1" is stored (work)',
      'before the step "flaky" is stored (work)',
      'after the step "flaky" is stored (work)',
      'before the run ends (work)',
    ])
  })

  it('a constant that equals the value of a step after the crash', async () => {
    let ids = 0
    const agent = createAgent('buy', {
      durable: true,
      async handler(ctx) {
        const id = await ctx.step('id', () => ++ids)
        await ctx.step('pay 2', () => void messages.push(`2 items of order ${id}`))
        return { id, version: 2, text: `order ${id} of 2` }
      },
    })
    await expect(everyCrash(agent, null, { effects, before: () => void (ids = 0) })).resolves.toHaveLength(5)
  })

  it('streams, sleeps and waits', async () => {
    const agent = createAgent('write', {
      durable: true,
      events: { approval: z.object({ ok: z.boolean() }), more: z.null() },
      async *handler(ctx) {
        yield { text: 'begin' }
        const { count } = yield* ctx.step.stream('first', async function* () {
          for (let index = 0; index < 20; index++) yield { index, random: Math.random() }
          return { count: 20 }
        })
        await ctx.sleep('short', '10s')
        const { ok } = await ctx.wait('approval', { id: 'legal' })
        const late = await ctx.wait('more', { timeout: '1d' }).catch(({ code }: { code: string }) => code)
        await ctx.sleep('long', '30d')
        yield* ctx.step.stream('second', async function* ({ attempt }) {
          yield { ok, late }
          if (attempt === 1) throw new Error('try again')
        })
        yield { text: 'end', count }
      },
    })
    const crashes = await everyCrash(agent, null, { effects, events: { 'approval legal': { ok: true } } })
    expect(crashes).toContain('before the run pauses (write)')
    expect(crashes).toContain('after the step "approval legal" is stored (write)')
    expect(crashes.filter((crash) => crash.startsWith('after chunk'))).toHaveLength(12)
    expect(crashes.at(-1)).toBe('before the run ends (write)')
  })

  it('the runs of a test user', async () => {
    const agent = createAgent('greet', {
      durable: true,
      async handler(ctx) {
        await ctx.sleep('a day', '1d')
        return ctx.step('name', async () => (await ctx.auth?.getUser())?.name)
      },
    })
    const app = await open(agent)
    await app.as({ name: 'Ada' }).runs.everyCrash('greet')
    const run = await app.as({ name: 'Ada' }).runs.start('greet')
    await app.runs.advance('1d')
    expect(await app.as({ name: 'Ada' }).runs.get(run)).toMatchObject({ output: 'Ada' })
  })
})

describe('everyCrash', () => {
  it('stops a crashed handler where it is, and begins no further step', async () => {
    const seen: string[] = []
    const agent = createAgent('stop', {
      durable: true,
      async *handler(ctx) {
        try {
          yield 1
          await new Promise((resolve) => setTimeout(resolve, 20)) // until the chunk is stored
          await ctx.step('a', () => seen.push('step'))
        } finally {
          seen.push('finally')
        }
      },
    })
    const crashes = await everyCrash(agent)
    expect(crashes).toHaveLength(4)
    // Once per run, and once more before the crash at the end of the run, since the handler has ended there.
    expect(seen.filter((entry) => entry === 'finally')).toHaveLength(6)
    // Once per run, and once more before the crash that loses its value.
    expect(seen.filter((entry) => entry === 'step')).toHaveLength(6)
  })

  it('rejects unknown agents, invalid input, and a run that waits for an event without a value', async () => {
    const agent = createAgent('wait', {
      durable: true,
      input: z.object({ id: z.number() }),
      events: { go: z.null() },
      handler: (ctx) => ctx.wait('go'),
    })
    const app = await open(agent)
    await expect(app.runs.everyCrash('nobody')).rejects.toThrow(
      'everyCrash must get the name of a durable agent of the app, got "nobody"',
    )
    await expect(app.runs.everyCrash('wait', { id: 'x' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await expect(app.runs.everyCrash('wait', { id: 1 })).rejects.toThrow(
      'everyCrash cannot finish the run of wait, which waits for the event go: pass its value, as in { events: { "go": … } }',
    )
    await expect(app.runs.everyCrash('wait', { id: 1 }, { events: { go: null } })).resolves.toHaveLength(7)
  })
})
