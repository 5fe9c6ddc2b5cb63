import { createDemoProject, type DemoProject } from '../demo-project.ts'

/** Invalid TypeScript, for the agent `broken`. */
export const NOT_CODE =
  "import { createAgent } from '@sdk/server'\n\nexport default createAgent('broken', {\n  handler: () => (\n"

/** Agents with all behaviors that a workbench must be able to show. */
const AGENTS: Readonly<Record<string, string>> = {
  greet: `import { createAgent } from '@sdk/server'
import { z } from 'zod'

export default createAgent('greet', {
  description: 'Greets a person in the given tone',
  input: z.object({
    name: z.string().min(1).describe('The name of the person'),
    tone: z.enum(['warm', 'formal', 'short']).default('warm'),
    times: z.number().int().min(1).max(5).default(1),
    tags: z.array(z.string()).default([]),
  }),
  output: z.object({ greeting: z.string() }),
  handler(ctx, { name, tone, times }) {
    ctx.log.info('greeting', { name, tone })
    const words = { warm: 'Hello, dear', formal: 'Good day,', short: 'Hi' }
    return { greeting: Array.from({ length: times }, () => \`\${words[tone]} \${name}\`).join('. ') }
  },
})
`,
  count: `import { createAgent } from '@sdk/server'
import { z } from 'zod'

export default createAgent('count', {
  description: 'Counts with one chunk per number',
  input: z.object({ to: z.number().int().min(1).max(100_000).default(10), pause: z.number().min(0).default(0) }),
  output: z.object({ n: z.number() }),
  async *handler(ctx, { to, pause }) {
    try {
      for (let n = 1; n <= to; n++) {
        if (ctx.signal.aborted) return
        yield { n }
        if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
        else if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
    } finally {
      ctx.log.info('counted', { aborted: ctx.signal.aborted })
    }
  },
})
`,
  brief: `import { createAgent } from '@sdk/server'
import { z } from 'zod'
import count from '../count/index.ts'
import greet from '../greet/index.ts'

export default createAgent('brief', {
  description: 'Calls two other agents, one of them streaming',
  input: z.object({ name: z.string().default('Ada') }),
  async handler(ctx, { name }) {
    ctx.log.info('calling other agents')
    const [{ greeting }] = await Promise.all([ctx.call(greet, { name }), new Promise((resolve) => setTimeout(resolve, 20))])
    const numbers: number[] = []
    for await (const { n } of await ctx.call(count, { to: 3, pause: 5 })) numbers.push(n)
    ctx.log.warn('done with others', { numbers })
    return { greeting, numbers }
  },
})
`,
  model: `import { createAgent } from '@sdk/server'
import greet from '../greet/index.ts'

type Listeners = Record<string, ((event: object) => void) | undefined>

async function ask(messages: object[]): Promise<string> {
  const headers = { authorization: 'Bearer sk-for-tests-0123456789' }
  const response = await fetch('https://model.example/v1/chat', { method: 'POST', headers, body: JSON.stringify({ messages }) })
  return response.text()
}

// Sends the events of the AI SDK, which is not installed in this project.
export default createAgent('model', {
  description: 'Calls a model with a tool',
  async handler(ctx) {
    const [telemetry] = (globalThis as { AI_SDK_TELEMETRY_INTEGRATIONS?: Listeners[] }).AI_SDK_TELEMETRY_INTEGRATIONS ?? []
    const call: Listeners = { ...telemetry }
    const asked = { role: 'user', content: 'Greet Ada' }
    const toolCall = { toolCallId: '1', toolName: 'greet', input: { name: 'Ada' } }
    const usage = { inputTokens: 1200, outputTokens: 90, inputTokenDetails: { cacheReadTokens: 800 } }
    const start = { provider: 'mock', modelId: 'mock-1', tools: { greet: { description: 'Greets a person' } } }
    call.onStepStart?.({ ...start, instructions: 'Be kind.', messages: [asked] })
    await ask([asked])
    call.onToolExecutionStart?.({ toolCall })
    const { greeting } = await ctx.call(greet, { name: 'Ada' })
    call.onToolExecutionEnd?.({ toolCall, toolOutput: { type: 'tool-result' } })
    call.onStepEnd?.({ finishReason: 'tool-calls', usage, content: [{ type: 'tool-call', ...toolCall }] })
    const calls = { role: 'assistant', content: [{ type: 'tool-call', ...toolCall }] }
    const output = { type: 'json', value: { greeting } }
    const results = { role: 'tool', content: [{ type: 'tool-result', toolCallId: '1', toolName: 'greet', output }] }
    call.onStepStart?.({ ...start, messages: [asked, calls, results] })
    await new Promise((resolve) => setTimeout(resolve, 20))
    const answer = await ask([asked, calls, results])
    call.onStepEnd?.({ finishReason: 'stop', usage, content: [{ type: 'text', text: 'Done.' }], performance: { timeToFirstOutputMs: 4 } })
    return { greeting, answer }
  },
})
`,
  chat: `import { createAgent } from '@sdk/server'
import { z } from 'zod'
import greet from '../greet/index.ts'

type Part = { type: string; text?: string; state?: string; toolCallId?: string; approval?: { approved?: boolean } }

// Streams what the AI SDK does, which is not installed in this project.
export default createAgent('chat', {
  description: 'Answers a conversation',
  input: z.object({ messages: z.array(z.unknown()).min(1).max(50) }),
  async *handler(ctx, input) {
    const messages = input.messages as { role: string; parts: Part[] }[]
    const parts = messages.at(-1)?.parts ?? []
    const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const call = { toolCallId: '1', toolName: 'greet', input: { name: 'Ada' } }
    const decided = parts.find(({ state }) => state === 'approval-responded')
    yield { type: 'start' }
    yield { type: 'start-step' }
    if (decided === undefined) {
      yield { type: 'reasoning-start', id: 'r' }
      yield { type: 'reasoning-delta', id: 'r', delta: 'The user wants a greeting.' }
      yield { type: 'reasoning-end', id: 'r' }
      yield { type: 'tool-input-available', ...call }
      if (text.includes('ask')) {
        yield { type: 'tool-approval-request', approvalId: 'a1', toolCallId: '1' }
        return
      }
    }
    if (decided?.approval?.approved === false) yield { type: 'tool-output-denied', toolCallId: '1' }
    else yield { type: 'tool-output-available', toolCallId: '1', output: await ctx.call(greet, { name: 'Ada' }) }
    yield { type: 'finish-step' }
    yield { type: 'start-step' }
    yield { type: 'text-start', id: 't' }
    for (const delta of ['Message ', String(messages.length), ': ', text || 'the decision arrived']) yield { type: 'text-delta', id: 't', delta }
    yield { type: 'text-end', id: 't' }
    yield { type: 'finish' }
  },
})
`,
  throws: `import { createAgent } from '@sdk/server'
import { z } from 'zod'

function work(reason: string): never {
  throw new Error(\`no luck: \${reason}\`)
}

export default createAgent('throws', {
  description: 'Always fails',
  input: z.object({ reason: z.string().default('rain') }),
  handler(_ctx, { reason }) {
    return work(reason)
  },
})
`,
  hangs: `import { createAgent } from '@sdk/server'

export default createAgent('hangs', {
  description: 'Does not respond until it is cancelled',
  handler: (ctx) =>
    new Promise((resolve) => {
      ctx.signal.addEventListener('abort', () => {
        ctx.log.warn('aborted')
        resolve('stopped')
      })
    }),
})
`,
  big: `import { createAgent } from '@sdk/server'

export default createAgent('big', {
  description: 'Returns 5 MB',
  handler: () => ({ rows: Array.from({ length: 50_000 }, (_, id) => ({ id, text: 'x'.repeat(80) })) }),
})
`,
  odd: `import { createAgent } from '@sdk/server'

/** A schema without a description of itself. */
const anything = { '~standard': { version: 1, vendor: 'bench', validate: (value: unknown) => ({ value }) } } as const

export default createAgent('odd', {
  description: 'Has a schema without a JSON Schema',
  input: anything,
  handler: (_ctx, input) => input,
})
`,
  whoami: `import { createAgent } from '@sdk/server'

export default createAgent('whoami', {
  description: 'Returns the user',
  handler: async (ctx) => (await ctx.auth?.getUser()) ?? null,
})
`,
}

const API = `import { createRouter, createResource, createSocket, memoryStore, ApiError } from '@sdk/server'
import { mcp } from '@sdk/mcp'
import { createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { z } from 'zod'
import { auth } from '../auth.ts'
import './model-host.ts'

const notes = createResource('notes', {
  schema: z.object({ title: z.string().min(1).max(100), done: z.boolean().default(false) }),
  store: memoryStore(),
  access: 'public',
  filter: ['done'],
  sort: ['createdAt'],
  live: true,
})

const chat = createSocket({
  description: 'Sends each message to all clients',
  receive: z.object({ text: z.string().max(2000) }),
  send: z.object({ from: z.string(), text: z.string() }),
  open(peer) {
    peer.join('lobby')
  },
  async message(peer, { text }) {
    const user = await peer.auth?.getUser()
    await peer.publish('lobby', { from: user?.name ?? 'guest', text })
  },
})

export default createRouter()
  .use('/api/*', createSessionMiddleware(auth, { optional: true }))
  .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
  .on('GET /api/status', { description: 'The status of the server', handler: () => ({ status: 'ok' }) })
  .on('GET /api/reports/:id', {
    description: 'One report',
    params: z.object({ id: z.coerce.number() }),
    query: z.object({ verbose: z.enum(['yes', 'no']).optional() }),
    handler: (ctx) => ({ id: ctx.params.id, verbose: ctx.query.verbose ?? 'no' }),
  })
  .on('GET /api/mine', (ctx) => {
    if (ctx.auth === null) throw new ApiError('UNAUTHORIZED', 'sign in first')
    return ctx.auth.getUser()
  })
  .resource('v1', notes)
  .on('POST /api/mcp', mcp(['POST /agent/greet', 'POST /agent/throws', 'GET /api/reports/:id', 'DELETE /api/v1/notes/:id']))
  .socket('/ws/chat', chat)
`

/**
 * The host of the model, which `sdk dev` reaches and a test does not. It replaces `fetch` before the first run, which is
 * when `sdk dev` begins to observe requests.
 */
const MODEL_HOST = `const host = globalThis as { hasModel?: boolean }
if (process.argv.includes('dev') && host.hasModel !== true) {
  const send = globalThis.fetch
  host.hasModel = true
  globalThis.fetch = async (input, init) => {
    if (!String(input).startsWith('https://model.example')) return send(input, init)
    return new Response('data: one\\n\\ndata: two\\n\\n', { headers: { 'content-type': 'text/event-stream' } })
  }
}
`

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "bench", "type": "module" }\n',
  'src/auth.ts': `import { createAuth } from '@sdk/auth'

export const auth = createAuth({ connectionString: process.env['DATABASE_URL'] ?? 'pglite://.sdk/data' })
`,
  'src/api/index.ts': API,
  'src/api/model-host.ts': MODEL_HOST,
  ...Object.fromEntries(Object.entries(AGENTS).map(([name, text]) => [`src/agent/${name}/index.ts`, text])),
}

/** A project for the workbench: agents of all kinds, routes, a resource, a socket, users. */
export function createBenchProject(): DemoProject {
  return createDemoProject(FILES, 'my-app')
}
