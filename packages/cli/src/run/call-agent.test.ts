import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ApiError, createAgent, createApp, createLog, serve, type Server } from '@sdk/server'
import { freePort } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callAgent, Retraction } from './call-agent.ts'

const agents = [
  createAgent('echo', { input: z.object({ text: z.string() }), handler: (_ctx, input) => input }),
  createAgent('count', {
    async *handler() {
      yield { n: 1 }
      yield { n: 2 }
    },
  }),
  createAgent('breaks', {
    async *handler() {
      yield { n: 1 }
      throw new ApiError('CONFLICT', 'no more')
    },
  }),
  createAgent('again', {
    durable: true,
    async *handler(ctx) {
      yield { n: 0 }
      yield* ctx.step.stream('write', async function* ({ attempt }) {
        yield { attempt, n: 1 }
        yield { attempt, n: 2 }
        // The chunks are stored and sent before the step fails.
        await new Promise((resolve) => setTimeout(resolve, 200))
        if (attempt === 1) throw new Error('try again')
      })
    },
  }),
]
let server: Server
beforeAll(async () => {
  server = await serve(createApp({ agents, log: createLog({ write: () => {} }) }), { port: 0, signals: false })
})
afterAll(() => server.close())

describe('callAgent', () => {
  it('returns a value, or the chunks of a stream', async () => {
    expect(await call('echo', '{"text":"hi"}')).toEqual({ kind: 'value', value: { text: 'hi' } })
    expect(await collect('count')).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('returns text with its byte order marks, even if characters are split across chunks', async () => {
    const bytes = Buffer.from('\uFEFFa🎉\uFEFFb')
    const other = createServer(async (_, response) => {
      response.setHeader('content-type', 'text/plain')
      for (const byte of bytes) {
        response.write(Buffer.of(byte))
        await new Promise((resolve) => setImmediate(resolve))
      }
      response.end()
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const result = await call('echo', undefined, `http://127.0.0.1:${(other.address() as AddressInfo).port}`)
    if (result.kind !== 'text') throw new Error(`expected text, got a ${result.kind}`)
    let text = ''
    for await (const part of result.text) text += part
    expect(text).toBe('\uFEFFa🎉\uFEFFb')
    other.close()
  })

  it('rejects with the envelope of an error response', async () => {
    await expect(call('echo', '{}')).rejects.toMatchObject({
      message: expect.stringMatching(/^INVALID_REQUEST \(400\): /),
      lines: [expect.stringContaining('body /text: '), expect.stringMatching(/^request \S+$/)],
      fix: 'for details, run sdk explain INVALID_REQUEST',
      answer: { code: 'INVALID_REQUEST', status: 400, details: [{ code: 'REQUIRED' }] },
    })
  })

  it('rejects with the error at the end of a stream', async () => {
    await expect(collect('breaks')).rejects.toThrow('CONFLICT: no more')
  })

  it('continues the stream of a durable run after a retraction', async () => {
    const [zero, ...more] = [{ n: 0 }, { attempt: 2, n: 1 }, { attempt: 2, n: 2 }]
    const retracted = [zero, { attempt: 1, n: 1 }, { attempt: 1, n: 2 }, new Retraction(1), ...more]
    expect(await collect('again')).toEqual(retracted)
  })

  it('rejects if the server is unreachable or responds without an envelope', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    await expect(call('echo', undefined, url)).rejects.toMatchObject({ code: 'NO_SERVER' })
    const other = createServer((_, response) => response.writeHead(502).end('<h1>Bad gateway</h1>'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    await expect(call('echo', undefined, `http://127.0.0.1:${port}`)).rejects.toThrow('HTTP_502 (502): <h1>Bad gateway')
    other.close()
  })
})

function call(name: string, input?: string, url = server.url): ReturnType<typeof callAgent> {
  return callAgent({ url, name, input, headers: {}, signal: new AbortController().signal })
}

async function collect(name: string): Promise<unknown[]> {
  const result = await call(name)
  if (result.kind !== 'stream') throw new Error(`${name} does not stream`)
  const chunks: unknown[] = []
  for await (const chunk of result.chunks) chunks.push(chunk)
  return chunks
}
