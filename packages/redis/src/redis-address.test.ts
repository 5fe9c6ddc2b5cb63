import { describe, expect, it } from 'vitest'
import { parseRedisAddress } from './redis-address.ts'

describe('parseRedisAddress', () => {
  it.each([
    ['redis://localhost', { kind: 'single', hosts: [{ host: 'localhost', port: 6379 }], isTls: false }],
    [
      'rediss://ada:p%40ss@[::1]:7000/2?family=6',
      {
        kind: 'single',
        hosts: [{ host: '::1', port: 7000 }],
        isTls: true,
        username: 'ada',
        password: 'p@ss',
        db: 2,
        family: 6,
      },
    ],
    ['redis://:one:two@a', { kind: 'single', hosts: [{ host: 'a', port: 6379 }], isTls: false, password: 'one:two' }],
    [
      'redis+sentinel://:secret@a,b:5000/main/3',
      {
        kind: 'sentinel',
        hosts: [
          { host: 'a', port: 26_379 },
          { host: 'b', port: 5000 },
        ],
        isTls: false,
        password: 'secret',
        master: 'main',
        db: 3,
      },
    ],
    [
      'redis+cluster://a:1,b:2',
      {
        kind: 'cluster',
        hosts: [
          { host: 'a', port: 1 },
          { host: 'b', port: 2 },
        ],
        isTls: false,
      },
    ],
  ])('reads %s', (url, address) => {
    expect(parseRedisAddress(url)).toEqual(address)
  })

  it.each([
    'postgres://ada:secret@a',
    'redis+sentinel://ada:secret@a:1',
    'redis+nothing://ada:secret@a',
    'redis://:secret@',
  ])('throws for %s without exposing the password', (url) => {
    expect(() => parseRedisAddress(url)).toThrow(TypeError)
    expect(() => parseRedisAddress(url)).not.toThrow('secret')
  })
})
