import { describe, expect, it } from 'vitest'
import { addressKey, clientAddress, createTrust } from './client-address.ts'

describe('addressKey', () => {
  it('returns an IPv4 address unchanged, including one mapped to IPv6', () => {
    expect(addressKey('203.0.113.7')).toBe('203.0.113.7')
    expect(addressKey('::ffff:203.0.113.7')).toBe('203.0.113.7')
  })

  it('returns the /64 network of an IPv6 address in any notation', () => {
    const key = addressKey('2001:db8:0:1::1')
    expect(addressKey('2001:0db8:0000:0001:ffff:ffff:ffff:ffff')).toBe(key)
    expect(addressKey('2001:db8:0:1:0:0:0:2%eth0')).toBe(key)
    expect(addressKey('2001:db8:0:2::1')).not.toBe(key)
  })
})

describe('createTrust', () => {
  const isTrusted = createTrust(['10.0.0.0/8', '192.0.2.1', 'fd00::/8'])

  it.each(['10.1.2.3', '192.0.2.1', 'fd12::1', '::ffff:10.9.9.9'])('trusts %s', (address) => {
    expect(isTrusted(address)).toBe(true)
  })

  it.each(['11.0.0.1', '192.0.2.2', 'fe80::1', '', 'unknown', '10.0.0', '10.0.0.256', '1::2::3'])(
    'does not trust %j',
    (address) => {
      expect(isTrusted(address)).toBe(false)
    },
  )

  it.each(['localhost', '10.0.0.0/33', '10.0.0.0/x', 'fd00::/129', ''])('throws for %j', (network) => {
    expect(() => createTrust([network])).toThrow(TypeError)
  })
})

describe('clientAddress', () => {
  const isTrusted = createTrust(['10.0.0.0/8'])

  it.each([
    ['ignores the header of an untrusted peer', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['uses the header of a trusted proxy', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    [
      'skips further trusted proxies, starting from the right',
      '10.0.0.1',
      '1.1.1.1, 198.51.100.1, 10.0.0.2',
      '198.51.100.1',
    ],
    ['returns the peer if there is no header', '10.0.0.1', null, '10.0.0.1'],
    ['returns the leftmost address if all are trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ])('%s', (_name, peer, forwarded, expected) => {
    expect(clientAddress(peer, forwarded, isTrusted)).toBe(expected)
  })
})
