import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../schema/json-schema.ts'
import { schemasIn } from './document-schemas.test.fixture.ts'
import { mixedDocument } from './mixed-app.test.fixture.ts'

describe('the rules of the document', () => {
  const whole = mixedDocument({ hasAuth: true })
  const schemas = schemasIn(whole)
  const isOf = (schema: JsonSchema, name: string): boolean => [schema['type']].flat().includes(name)
  const lacking = (name: string, keywords: readonly string[]): string[] =>
    schemas
      .filter(({ schema }) => isOf(schema, name) && !keywords.every((keyword) => keyword in schema))
      .map(({ where }) => where)

  it('are checked on many schemas', () => {
    expect(schemas.filter(({ side }) => side === 'request').length).toBeGreaterThan(40)
    expect(schemas.filter(({ side }) => side === 'response').length).toBeGreaterThan(40)
  })

  it.each([
    ['string', ['maxLength', 'pattern']],
    ['integer', ['minimum', 'maximum']],
    ['array', ['maxItems']],
  ])('limit every %s', (name, keywords) => {
    expect(schemas.some(({ schema }) => isOf(schema, name))).toBe(true)
    expect(lacking(name, keywords)).toStrictEqual([])
  })

  it('close every object of a request that is not declared as open', () => {
    const objects = schemas.filter(({ schema, side }) => side === 'request' && isOf(schema, 'object'))
    const open = objects.filter(
      ({ schema, where }) => schema['additionalProperties'] !== false && !where.includes('/allOf/'),
    )
    expect(open.map(({ where }) => where)).toStrictEqual([
      // A query without a schema, or with one that cannot be converted.
      '/api/search get parameters 0 schema',
      // A record, which accepts any key.
      'callSummarizeInput/properties/extra',
    ])
    expect(objects.length).toBeGreaterThan(open.length)
  })

  it('allow additional members in responses', () => {
    const closed = schemas.filter(({ schema, side }) => side === 'response' && schema['additionalProperties'] === false)
    expect(closed).toStrictEqual([])
  })

  it('include no defaults', () => {
    expect(schemas.filter(({ schema }) => 'default' in schema)).toStrictEqual([])
  })

  it('use no member named "in" in built-in schemas', () => {
    const { Error: error, Problem: problem } = whole.components.schemas
    expect([error, problem].every((schema) => schema !== undefined)).toBe(true)
    const own = schemasIn({
      ...whole,
      paths: {},
      components: { ...whole.components, schemas: { ...(error && { error }), ...(problem && { problem }) } },
    })
    expect(own.filter(({ schema }) => Object.hasOwn(Object(schema['properties']), 'in'))).toStrictEqual([])
  })

  it('describe every error in both media types', () => {
    const operations = Object.values(whole.paths).flatMap((item) => Object.values(item))
    expect(operations.length).toBeGreaterThan(10)
    for (const { responses } of operations)
      expect(responses['default']).toStrictEqual({ $ref: '#/components/responses/Error' })
    expect(whole.components.responses['Error']).toMatchObject({
      headers: { 'Retry-After': {}, RateLimit: {}, 'RateLimit-Policy': {}, 'X-Request-Id': {} },
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/Error' } },
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      },
    })
  })

  it('list the request id and the rate limit headers on every success', () => {
    for (const { responses } of Object.values(whole.paths).flatMap((item) => Object.values(item)))
      expect(Object.values(responses)[0]).toMatchObject({
        headers: { 'X-Request-Id': {}, RateLimit: {}, 'RateLimit-Policy': {} },
      })
  })

  it('name every operation uniquely, in camelCase', () => {
    const ids = Object.values(whole.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !/^[a-z][a-zA-Z0-9]*$/.test(id))).toStrictEqual([])
    expect(ids).toContain('callDailyReport')
    expect(ids).toContain('getApiReportsById')
  })

  it('offer an Idempotency-Key on every method that writes, and on no other', () => {
    for (const item of Object.values(whole.paths))
      for (const [method, { parameters = [] }] of Object.entries(item)) {
        const has = parameters.some((one) => '$ref' in one && one.$ref === '#/components/parameters/Idempotency-Key')
        expect(has).toBe(['post', 'put', 'patch', 'delete'].includes(method))
      }
  })

  it('describe the error envelope as it is sent', () => {
    const { Error: error = {} } = whole.components.schemas
    const isError = new Ajv2020({ strict: false, validateFormats: false }).compile(error)
    const details = [{ code: 'TOO_LONG', message: 'must be shorter', source: 'body', pointer: '/title', max: 200 }]
    expect(isError({ error: { code: 'INVALID_REQUEST', message: 'title must be shorter', details } })).toBe(true)
    expect(isError({ error: { code: 'lower', message: '', details: [] } })).toBe(false)
    expect(isError({ error: { code: 'CONFLICT', message: '' } })).toBe(false)
  })
})
