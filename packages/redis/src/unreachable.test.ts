import { createServer, type AddressInfo } from 'node:net'
import type { Log } from '@sdk/server'
import { expect, it } from 'vitest'
import { redisEngine } from './redis-engine.ts'

const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

const KINDS = ['redis://HOST', 'redis+cluster://HOST', 'redis+sentinel://HOST/main']
const PROBLEMS = ['is unreachable', 'does not respond'] as const

it.each(KINDS.flatMap((url) => PROBLEMS.map((problem) => [url, problem] as const)))(
  'rejects calls while %s %s',
  async (url, problem) => {
    const server = createServer((socket) => socket.resume())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    if (problem === 'is unreachable') await new Promise((resolve) => server.close(resolve))
    const engine = redisEngine(url.replace('HOST', `127.0.0.1:${port}`), { log, timeout: 100 })
    for (let call = 0; call < 2; call++)
      await expect(engine.publish('lobby', 'hi')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await engine.close()
    server.close()
  },
)
