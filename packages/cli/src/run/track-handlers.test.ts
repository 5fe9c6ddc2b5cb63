import { createAgent, createApp, createLog, serve } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { trackHandlers } from './track-handlers.ts'

describe('trackHandlers', () => {
  it('waits for the finally block of a handler whose client has disconnected', async () => {
    const steps: string[] = []
    const count = createAgent('count', {
      async *handler(ctx) {
        try {
          for (let n = 0; ; n++) {
            yield { n }
            await new Promise((resolve) => setTimeout(resolve, 5))
          }
        } finally {
          await new Promise((resolve) => setTimeout(resolve, 30))
          steps.push(`finally, aborted: ${ctx.signal.aborted}`)
        }
      },
    })
    const log = createLog({ write: () => {} })
    const { app, idle } = trackHandlers(createApp({ agents: [count], log }))
    const server = await serve(app, { port: 0, signals: false })
    await idle()
    const control = new AbortController()
    const response = await fetch(`${server.url}/agent/count`, { method: 'POST', signal: control.signal })
    await response.body?.getReader().read()
    control.abort()
    await idle()
    expect(steps).toEqual(['finally, aborted: true'])
    await server.close()
  })
})
