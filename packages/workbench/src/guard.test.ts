import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { Guard, isOpenedInTab, workbenchHeaders } from './guard.ts'

const guard = new Guard({ token: 'right' })
const own = { host: 'localhost:3000' }

describe('Guard.rejectionOf', () => {
  it.each(['localhost:3000', 'LOCALHOST:3000', '127.0.0.1:3000', '[::1]:3000', 'localhost'])(
    'accepts the host %s',
    (host) => {
      expect(guard.rejectionOf({ method: 'GET', headers: { host } })).toBeNull()
    },
  )

  it.each(['evil.example', 'localhost.evil.example:3000', '127.0.0.1.evil.example', 'evil@localhost', '10.0.0.1', ''])(
    'rejects the host %s',
    (host) => {
      expect(guard.rejectionOf({ method: 'GET', headers: { host } })).toContain('available only at localhost')
    },
  )

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('accepts %s only from its own pages', (method) => {
    const from = (origin?: string): string | null =>
      guard.rejectionOf({ method, headers: { ...own, ...(origin !== undefined && { origin }) } })
    expect(from('http://localhost:3000')).toBeNull()
    for (const origin of ['http://localhost:4000', 'https://localhost:3000', 'http://evil.example', 'null', undefined])
      expect(from(origin)).toContain('own pages')
  })

  it('rejects reads from pages of another origin', () => {
    const rejection = (headers: object): string | null =>
      guard.rejectionOf({ method: 'GET', headers: { ...own, ...headers } })
    expect(rejection({ origin: 'http://localhost:5173' })).toContain('own pages')
    expect(rejection({ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' })).toContain('own pages')
    expect(rejection({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' })).toContain('own pages')
    expect(rejection({ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' })).toBeNull()
    expect(rejection({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toBeNull()
  })

  it('rejects WebSocket upgrades', () => {
    const headers = { ...own, origin: 'http://localhost:3000', upgrade: 'websocket' }
    expect(guard.rejectionOf({ method: 'GET', headers })).toContain('does not accept WebSocket connections')
  })

  it('accepts the address that the server listens on, or every address of the machine if it listens on all', () => {
    const at = (bound: string, host: string): string | null =>
      new Guard({ token: 'right', host: bound }).rejectionOf({ method: 'GET', headers: { host } })
    expect(at('192.168.7.7', '192.168.7.7:3000')).toBeNull()
    expect(at('192.168.7.7', '192.168.7.8:3000')).toContain('available only at')
    expect(at('fe80::1', '[fe80::1]:3000')).toBeNull()
    const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address))
    for (const address of addresses.filter((one) => !one.includes(':')))
      expect(at('0.0.0.0', `${address}:3000`)).toBeNull()
    expect(at('0.0.0.0', 'evil.example:3000')).toContain('available only at')
  })
})

describe('Guard.redeemLink', () => {
  const redeem = (url: string, method = 'GET'): ReturnType<typeof guard.redeemLink> =>
    guard.redeemLink({ method, url, headers: own })

  it('exchanges the token for a cookie of this port and a URL without the token', () => {
    expect(redeem('/_workbench/runs?status=404&token=right')).toEqual({
      cookie: 'sdk_workbench_3000=right; Max-Age=2592000; HttpOnly; SameSite=Strict; Path=/_workbench',
      location: '/_workbench/runs?status=404',
    })
  })

  it.each(['/_workbench', '/_workbench?token=', '/_workbench?token=Right', '/_workbench?token=right2'])(
    'returns null for %s',
    (url) => expect(redeem(url)).toBeNull(),
  )

  it('does not redirect to another host', () => {
    expect(redeem('//evil.example/_workbench?token=right')?.location).toBe('/evil.example/_workbench')
    for (const path of [
      '/_workbench/..//evil.example',
      '/_workbench/%2e%2e//evil.example',
      '/_workbench/..\\\\evil.example',
    ])
      expect(redeem(`${path}?token=right`)?.location).toBe('/evil.example')
    expect(redeem('http://[?token=right')).toBeNull()
  })
})

describe('Guard.isAuthorized', () => {
  const isOpen = (cookie?: string): boolean =>
    guard.isAuthorized({ headers: { ...own, ...(cookie !== undefined && { cookie }) } })

  it('accepts its cookie among others and ignores cookies of other ports', () => {
    expect(isOpen('a=b; sdk_workbench_3000=right; c=d')).toBe(true)
    expect(isOpen('sdk_workbench_3000=wrong; sdk_workbench_3000=right')).toBe(true)
    for (const cookie of [undefined, '', 'sdk_workbench_4000=right', 'sdk_workbench_3000=wrong', 'sdk_workbench_3000='])
      expect(isOpen(cookie)).toBe(false)
  })
})

describe('Guard.isOwnPage', () => {
  it('accepts the nonce in a header or the query, even after a restart', () => {
    const nonce = workbenchHeaders('http://localhost:3000', 'right')['x-sdk-workbench']
    const again = new Guard({ token: 'right' })
    expect(again.nonce).toBe(nonce)
    expect(again.isOwnPage({ headers: { 'x-sdk-workbench': nonce } })).toBe(true)
    expect(again.isOwnPage({ headers: {}, url: `/_workbench/api/events?nonce=${nonce}` })).toBe(true)
    for (const shown of ['', 'right', workbenchHeaders('http://localhost:3000', 'other')['x-sdk-workbench']])
      expect(again.isOwnPage({ headers: { 'x-sdk-workbench': shown }, url: `/?nonce=${shown}` })).toBe(false)
    expect(again.isOwnPage({ headers: {} })).toBe(false)
  })
})

describe('isOpenedInTab', () => {
  it('requires sec-fetch-dest only on localhost, since browsers omit it at other plain HTTP addresses', () => {
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'LOCALHOST'])
      expect(isOpenedInTab({ host })).toBe(false)
    expect(isOpenedInTab({ host: '192.168.7.7:3000' })).toBe(true)
    for (const host of ['localhost:3000', '192.168.7.7:3000']) {
      expect(isOpenedInTab({ host, 'sec-fetch-dest': 'document' })).toBe(true)
      expect(isOpenedInTab({ host, 'sec-fetch-dest': 'empty' })).toBe(false)
    }
  })
})
