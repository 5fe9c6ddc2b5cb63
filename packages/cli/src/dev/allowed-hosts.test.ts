import { describe, expect, it } from 'vitest'
import { isAllowedHost } from './allowed-hosts.ts'

const OWN = { host: '127.0.0.1' }

describe('isAllowedHost', () => {
  it.each([
    'localhost',
    'LOCALHOST:3000',
    'app.localhost:3000',
    '127.0.0.1:3000',
    '192.168.1.7',
    '[::1]:3000',
    '[fe80::1]',
  ])('accepts %s', (host) => expect(isAllowedHost(host, OWN)).toBe(true))

  it.each([
    '',
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    'evillocalhost',
    '127.0.0.1.evil.example',
    '::1',
    '1.2.3',
  ])('rejects %j', (host) => expect(isAllowedHost(host, OWN)).toBe(false))

  it('accepts the host it listens on, and configured hosts', () => {
    expect(isAllowedHost('box.lan:3000', { host: 'box.lan' })).toBe(true)
    const known = { ...OWN, allowed: ['tunnel.example', '.test.example'] }
    const hosts = ['tunnel.example:80', 'a.tunnel.example', 'test.example', 'a.test.example', 'atest.example']
    expect(hosts.map((host) => isAllowedHost(host, known))).toEqual([true, false, true, true, false])
    expect(isAllowedHost('evil.example', { ...OWN, allowed: true })).toBe(true)
  })
})
