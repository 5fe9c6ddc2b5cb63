/** An app with one handler of each kind, for the generated client. Says where it listens. */
import { createAgent, createApp, createRouter, serve } from '@sdk/server'
import { z } from 'zod'

const agents = [
  createAgent('echo', { input: z.object({ text: z.string().max(100) }), handler: (_ctx, input) => input }),
  createAgent('anything', { handler: () => ({ at: 1 }) }),
  createAgent('count', {
    input: z.object({ to: z.int().min(1).max(10) }),
    output: z.object({ n: z.int() }),
    async *handler(_ctx, { to }) {
      for (let n = 1; n <= to; n++) yield { n }
    },
  }),
  createAgent('relay', {
    stream: true,
    output: z.object({ n: z.int() }),
    handler: () =>
      new ReadableStream<{ n: number }>({
        start(controller) {
          controller.enqueue({ n: 1 })
          controller.close()
        },
      }),
  }),
]
const router = createRouter()
  .on('GET /api/status', {
    output: z.object({ status: z.literal('ok') }),
    handler: () => ({ status: 'ok' as const }),
  })
  .on('POST /api/jobs', { status: 202, output: z.object({ job: z.int() }), handler: () => ({ job: 7 }) })
  .on('DELETE /api/jobs', { status: 204, handler: () => undefined })
  .on('GET /api/report', { content: 'text/csv', handler: () => 'year,total\n' })
  .on('GET /api/old', { status: 308, handler: () => Response.redirect('https://example.com/new', 308) })

const server = await serve(createApp({ agents, router }), { port: 0 })
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`)
