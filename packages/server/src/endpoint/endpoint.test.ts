import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent, createApp, type Log } from '../index.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
const inner = createAgent('inner', {
  input: z.object({ text: z.string(), options: z.object({ loud: z.boolean() }).optional() }),
  handler: (_ctx, input) => input,
})
const outer = createAgent('outer', { handler: (ctx, input) => ctx.call(inner, input as { text: string }) })
const app = createApp({ agents: [inner, outer], log: silent })

async function send(agent: string, input: unknown): Promise<{ status: number; body: unknown }> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(input) }
  const response = await app.fetch(new Request(`http://localhost/agent/${agent}`, init))
  return { status: response.status, body: await response.json() }
}

describe('ctx.call', () => {
  it.each([
    ['an unknown field', { text: 'a', more: 1 }, 400],
    ['an unknown nested field', { text: 'a', options: { loud: true, more: 1 } }, 400],
    ['a wrong type', { text: 1 }, 400],
    ['valid input', { text: 'a', options: { loud: true } }, 200],
  ])('returns the same result as HTTP for %s', async (_name, input, status) => {
    const direct = await send('inner', input)
    expect(direct.status).toBe(status)
    expect(await send('outer', input)).toEqual(direct)
  })
})
