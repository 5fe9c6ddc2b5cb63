import { createServer } from 'node:net'
import { createApp, createLog } from '@sdk/server'
import { freePort } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { chooseHost, listenFailure, parsePort, serveNearPort } from './listen.ts'

describe('serveNearPort', () => {
  it('uses the next port if the requested one is in use', async () => {
    const port = await freePort()
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
    const server = await serveNearPort(createApp({ log: createLog({ write: () => {} }) }), { port, host: '127.0.0.1' })
    expect(server.port).toBeGreaterThan(port)
    await server.close()
    other.close()
  })

  it('rejects if all ports are in use', async () => {
    const taken = Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE', syscall: 'listen' })
    const app = { ...createApp({ log: createLog({ write: () => {} }) }), ready: () => Promise.reject(taken) }
    await expect(serveNearPort(app, { port: 65_530 })).rejects.toMatchObject({
      code: 'PORT_TAKEN',
      message: 'ports 65530 to 65535 are all in use',
    })
  })
})

describe('listenFailure', () => {
  const unknown = (hostname: string): Error =>
    Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { syscall: 'getaddrinfo', hostname })

  it('converts errors of the listen address, and returns other errors unchanged', () => {
    expect(listenFailure(unknown('nowhere'), 'nowhere')).toMatchObject({ code: 'CANNOT_LISTEN' })
    const others = unknown('db.internal')
    expect(listenFailure(others, '127.0.0.1')).toBe(others)
  })
})

describe('chooseHost', () => {
  it('returns the first host that is not empty, or 127.0.0.1', () => {
    expect([chooseHost('0.0.0.0', '::1'), chooseHost(undefined, '::1'), chooseHost('', undefined)]).toEqual([
      '0.0.0.0',
      '::1',
      '127.0.0.1',
    ])
  })
})

describe('parsePort', () => {
  it('parses a number, or returns the default', () => {
    expect([parsePort('8080', 3000), parsePort(undefined, 3000), parsePort('', 3000)]).toEqual([8080, 3000, 3000])
  })

  it.each(['http', '-1', '70000', '3.5'])('throws on %s', (text) => {
    expect(() => parsePort(text, 3000)).toThrow('the port must be a number from 0 to 65535')
  })
})
