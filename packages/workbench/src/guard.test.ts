import { describe, expect, it } from 'vitest'
import { refusalOf } from './guard.ts'

describe('refusalOf', () => {
  it.each(['localhost', 'localhost:3000', '127.0.0.1:3000', '[::1]:3000'])('lets %s read', (host) => {
    expect(refusalOf({ method: 'GET', headers: { host } })).toBeNull()
  })

  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:3000', '192.168.0.7:3000', undefined])(
    'refuses the host %s',
    (host) => {
      expect(refusalOf({ method: 'GET', headers: host === undefined ? {} : { host } })).toContain('localhost')
    },
  )

  it.each([undefined, 'null', 'https://evil.example', 'http://localhost:4000', 'http://127.0.0.1:3000'])(
    'refuses a change from the origin %s',
    (origin) => {
      const headers = { host: 'localhost:3000', ...(origin === undefined ? {} : { origin }) }
      expect(refusalOf({ method: 'POST', headers })).toContain('its own pages')
    },
  )

  it('takes a change from its own origin', () => {
    const headers = { host: 'localhost:3000', origin: 'http://localhost:3000' }
    expect(refusalOf({ method: 'POST', headers })).toBeNull()
  })
})
