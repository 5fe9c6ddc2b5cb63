import { createDemoProject, type DemoProject } from '../demo-project.ts'

const IMPORTS = `import { ApiError } from '@sdk/protocol'
import { createAgent } from '@sdk/server'
import { z } from 'zod'

`

/** Durable agents with all behaviors that the workbench must be able to show. */
const AGENTS: Readonly<Record<string, string>> = {
  research: `export default createAgent('research', {
  description: 'Retries a step, and retracts the chunks of a failed stream',
  durable: true,
  input: z.object({ question: z.string().min(1) }),
  output: z.object({ text: z.string() }),
  async *handler(ctx, { question }) {
    const plan = await ctx.step('plan', () => ({ question, sources: ['one', 'two'] }))
    await ctx.step('fetch', async ({ attempt }) => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      if (attempt === 1) throw new Error('the connection was reset')
      return plan.sources.length
    })
    yield* ctx.step.stream('write', async function* ({ attempt }) {
      yield { text: 'kept' }
      if (attempt === 1) throw new Error('the model is overloaded')
      yield { text: 'again' }
    })
    await ctx.sleep('a moment', 50)
    yield { text: 'end' }
  },
})
`,
  buy: `export default createAgent('buy', {
  durable: true,
  input: z.object({ item: z.string(), cost: z.number() }),
  events: { approval: z.object({ ok: z.boolean(), note: z.string().min(1).max(20) }) },
  async handler(ctx, { item, cost }) {
    const { ok, note } = await ctx.wait('approval', { ask: { item, cost }, timeout: '3d' })
    if (!ok) throw new ApiError('NOT_APPROVED', 'The purchase was not approved', { status: 409 })
    return ctx.step('order', () => ({ item, note }))
  },
})
`,
  talk: `export default createAgent('talk', {
  durable: true,
  input: z.object({ id: z.string(), text: z.string() }),
  async *handler(_ctx, { text }) {
    yield { type: 'text-start', id: 't' }
    yield { type: 'text-delta', id: 't', delta: \`You wrote: \${text}\` }
  },
})
`,
  nap: `export default createAgent('nap', {
  durable: true,
  async handler(ctx) {
    await ctx.step('before', () => 1)
    await ctx.sleep('a day', '1d')
  },
})
`,
  ticks: `export default createAgent('ticks', {
  durable: true,
  input: z.object({ count: z.number().default(10) }),
  async *handler(ctx, { count }) {
    for (let tick = 1; tick <= count; tick++) {
      await ctx.step(\`tick \${tick}\`, () => new Promise((resolve) => setTimeout(() => resolve(tick), 300)))
      yield { tick }
    }
  },
})
`,
  gone: `export default createAgent('gone', {
  durable: true,
  events: { back: z.object({}) },
  handler: (ctx) => ctx.wait('back'),
})
`,
  daily: `export default createAgent('daily', { durable: true, schedule: '0 7 * * *', handler: () => 'done' })
`,
}

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "durable", "type": "module" }\n',
  'src/auth.ts': `import { createAuth } from '@sdk/auth'

export const auth = createAuth({ connectionString: process.env['DATABASE_URL'] ?? 'pglite://.sdk/data' })
`,
  'src/api/index.ts': `import { createRouter } from '@sdk/server'
import { createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { auth } from '../auth.ts'

export default createRouter()
  .use('/api/*', createSessionMiddleware(auth, { optional: true }))
  .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
`,
  ...Object.fromEntries(Object.entries(AGENTS).map(([name, text]) => [`src/agent/${name}/index.ts`, IMPORTS + text])),
}

/** A project with durable agents and users. */
export function createDurableProject(): DemoProject {
  return createDemoProject(FILES, 'durable-app')
}
