import { createServer } from 'node:net'
import { createApp, createLog } from '@sdk/server'
import { freePort } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { parsePort, serveNear } from './listen.ts'

describe('serveNear', () => {
  it('takes the next port where the wanted one is taken', async () => {
    const port = await freePort()
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
    const server = await serveNear(createApp({ log: createLog({ write: () => {} }) }), { port, host: '127.0.0.1' })
    expect(server.port).toBeGreaterThan(port)
    await server.close()
    other.close()
  })
})

describe('parsePort', () => {
  it('reads a number, or takes the default', () => {
    expect([parsePort('8080', 3000), parsePort(undefined, 3000), parsePort('', 3000)]).toEqual([8080, 3000, 3000])
  })

  it.each(['http', '-1', '70000', '3.5'])('refuses %s', (text) => {
    expect(() => parsePort(text, 3000)).toThrow('a port is a number from 0 to 65535')
  })
})
