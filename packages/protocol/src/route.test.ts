import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fillPath, METHODS, paramNames, parseRoute } from './index.ts'

const name = fc.stringMatching(/^[A-Za-z_]\w{0,8}$/)
const text = fc.stringMatching(/^[a-zA-Z0-9._~é漢-]{1,8}$/).filter((segment) => !/^\.{1,2}$/.test(segment))
const value = fc.string({ unit: 'grapheme', minLength: 1 }).filter((given) => !/^\.{1,2}$|\0/.test(given))

/** Generates a path with its params: plain segments, parameters and an optional wildcard. */
const filled = fc
  .record({
    segments: fc.array(
      fc.oneof(
        text.map((plain) => ({ plain })),
        fc.record({ value }),
      ),
    ),
    names: fc.uniqueArray(name, { minLength: 20, maxLength: 20 }),
    rest: fc.option(
      fc.array(
        value.filter((part) => !part.includes('/')),
        { minLength: 1, maxLength: 3 },
      ),
    ),
  })
  .map(({ segments, names, rest }) => {
    const used = segments.map((segment, index) => ({ segment, name: names[index] ?? `p${index}` }))
    const params = used.flatMap(({ segment, name: key }) => ('value' in segment ? [[key, segment.value] as const] : []))
    const star = rest === null ? [] : [['*', rest.join('/')] as const]
    return {
      path: `/${[...used.map(({ segment, name: key }) => ('plain' in segment ? segment.plain : `:${key}`)), ...star.map(() => '*')].join('/')}`,
      params: Object.fromEntries([...params, ...star]),
      names: [...params, ...star].map(([key]) => key),
      decoded: [...segments.map((segment) => ('plain' in segment ? segment.plain : segment.value)), ...(rest ?? [])],
    }
  })

describe('parseRoute', () => {
  it('parses a route string', () => {
    expect(parseRoute('GET /api/v1/tasks/:id')).toEqual({ methods: ['GET'], path: '/api/v1/tasks/:id', params: ['id'] })
    expect(parseRoute('GET|POST /api/auth/*')).toEqual({ methods: ['GET', 'POST'], path: '/api/auth/*', params: ['*'] })
    expect(parseRoute('GET /')).toEqual({ methods: ['GET'], path: '/', params: [] })
  })

  it('returns the parts of any valid route string', () => {
    fc.assert(
      fc.property(fc.subarray([...METHODS], { minLength: 1 }), filled, (methods, { path, names }) => {
        expect(parseRoute(`${methods.join('|')} ${path}`)).toEqual({ methods, path, params: names })
      }),
    )
  })

  it.each([
    '',
    'GET',
    '/api/x',
    'get /x',
    'FETCH /x',
    'GET| /x',
    '|GET /x',
    'GET  /x',
    ' GET /x',
    'GET x',
    'GET /x ',
    'GET\t/x',
    'GET /a/',
    'GET //a',
    'GET /a/./b',
    'GET /a/../b',
    'GET /a?b=1',
    'GET /a#b',
    'GET /a b',
    'GET /a\\b',
    'GET /%2e%2e/a',
    'GET /*/a',
    'GET /a*',
    'GET /:',
    'GET /:1a',
    'GET /:a-b',
    'GET /a:b',
    'GET /:id/x/:id',
    'GET /x\nPOST /y',
  ])('throws for %j', (route) => {
    expect(() => parseRoute(route)).toThrow(TypeError)
  })

  it('throws an error with the expected format and the received value', () => {
    expect(() => parseRoute('fetch /x')).toThrow('a route must be "METHOD /path" (GET, HEAD, POST')
    expect(() => parseRoute('fetch /x')).toThrow('got "fetch /x"')
    expect(() => parseRoute('GET /:id/:id')).toThrow('duplicate parameter in "/:id/:id"')
  })

  it('returns a route or throws a TypeError for any text', () => {
    const pieces = fc.array(fc.constantFrom('GET', '|', ' ', '/', ':', '*', 'a', '.', '%', '\n'), { maxLength: 12 })
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          pieces.map((list) => list.join('')),
        ),
        (route) => {
          const attempt = (): unknown => {
            try {
              return parseRoute(route).path
            } catch (error) {
              return error
            }
          }
          const result = attempt()
          expect(result instanceof TypeError || route.endsWith(` ${String(result)}`)).toBe(true)
        },
      ),
    )
  })
})

describe('paramNames', () => {
  it('lists the parameters in order', () => {
    expect(paramNames('/a/:b/c/:d_1/*')).toEqual(['b', 'd_1', '*'])
    expect(paramNames('/')).toEqual([])
  })
})

describe('fillPath', () => {
  it('fills in the params of a path', () => {
    expect(fillPath('/api/v1/tasks/:id', { id: 7 })).toBe('/api/v1/tasks/7')
    expect(fillPath('/api/status')).toBe('/api/status')
    expect(fillPath('/')).toBe('/')
  })

  it('encodes each value once, so that decoding each segment restores it', () => {
    fc.assert(
      fc.property(filled, ({ path, params, decoded }) => {
        const result = fillPath(path, params)
        const segments = result === '/' ? [] : result.slice(1).split('/')
        expect(segments.map(decodeURIComponent)).toEqual(decoded)
      }),
    )
  })

  it('returns a path that the URL parser does not change', () => {
    fc.assert(
      fc.property(value, (id) => {
        const { pathname, search, hash } = new URL(fillPath('/a/:id/b', { id }), 'http://x.test')
        expect(pathname.split('/').map(decodeURIComponent)).toEqual(['', 'a', id, 'b'])
        expect(search + hash).toBe('')
      }),
    )
  })

  it('keeps a star at the end of a value, which is not a wildcard', () => {
    expect(fillPath('/a/:id', { id: 'x*' })).toBe('/a/x*')
  })

  it('keeps the slashes of a wildcard and encodes the rest', () => {
    expect(fillPath('/files/*', { '*': 'a b/c?d' })).toBe('/files/a%20b/c%3Fd')
    expect(() => fillPath('/files/*', { '*': 'a//b' })).toThrow(TypeError)
    expect(() => fillPath('/files/*', { '*': 'a/../b' })).toThrow(TypeError)
  })

  it.each(['', '.', '..', '\0', 'a\0b', '\ud800'])('throws for %j, which a URL cannot contain', (id) => {
    expect(() => fillPath('/a/:id', { id })).toThrow(TypeError)
  })

  it('throws an error that names a missing value', () => {
    expect(() => fillPath('/a/:id')).toThrow(new TypeError('"/a/:id" needs params.id, got undefined'))
    expect(() => fillPath('/a/:constructor', {})).toThrow('needs params.constructor')
    expect(() => fillPath('/files/*')).toThrow('needs params.*')
  })
})
