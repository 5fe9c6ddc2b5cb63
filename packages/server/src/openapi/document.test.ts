import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { toDocument } from './document.ts'
import { schemasIn } from './document-schemas.test.fixture.ts'
import { mixedDocument } from './mixed-app.test.fixture.ts'
import { REQUEST_LIMITS } from '../http/request-limits.ts'
import { z } from 'zod'
import { createAgent, createApp, createLog, openapi } from '../index.ts'

const validator = new Validator()

describe('openapi', () => {
  it('is a valid document', async () => {
    const whole = mixedDocument({ hasAuth: true })
    expect(await validator.validate({ ...whole })).toStrictEqual({ valid: true })
    expect(whole).toMatchObject({ openapi: '3.1.1', servers: [{ url: '/' }], info: { title: 'API', version: '1.0.0' } })
  })

  it('describes the runs of durable agents', async () => {
    const events = { approval: z.object({ ok: z.boolean() }) }
    const state = z.object({ texts: z.array(z.string()).max(9) }).default({ texts: [] })
    const agent = createAgent('write', { durable: true, events, state, handler: () => 1 })
    const whole = await openapi(createApp({ agents: [agent], log: createLog({ write: () => {} }) }))
    expect(await validator.validate({ ...whole })).toStrictEqual({ valid: true })
    expect(Object.keys(whole.paths)).toEqual([
      '/agent/write',
      '/agent/write/runs',
      '/agent/write/runs/{run}',
      '/agent/write/runs/{run}/chunks',
      '/agent/write/threads',
      '/agent/write/threads/{thread}',
      '/agent/write/runs/{run}/events/approval',
    ])
    const { parameters, responses } = whole.paths['/agent/write']?.['post'] ?? {}
    expect(JSON.stringify(parameters)).toContain('Run-Thread')
    expect(Object.keys(responses ?? {})).toContain('202')
    const chunks = whole.paths['/agent/write/runs/{run}/chunks']?.['get']
    expect(chunks?.responses['200']).toHaveProperty('content.text/event-stream')
    expect(chunks?.parameters).toMatchObject([{ name: 'run' }, { name: 'at' }])
    const event = whole.paths['/agent/write/runs/{run}/events/approval']?.['post']
    expect(event?.parameters?.slice(0, 2)).toMatchObject([{ name: 'run' }, { name: 'id' }])
    expect(event?.responses).toMatchObject({ 204: {}, 400: {} })
    expect(JSON.stringify(whole.components)).toContain('"ok"')
    expect(JSON.stringify(whole.components)).toContain('"texts"')
  })

  it('is serializable as JSON', () => {
    const whole = mixedDocument({ hasAuth: true })
    expect(JSON.parse(JSON.stringify(whole))).toStrictEqual(whole)
  })

  it('is valid for an empty app', async () => {
    expect(await validator.validate({ ...toDocument({ major: 1, endpoints: [] }) })).toStrictEqual({ valid: true })
  })

  it('references only its own components', () => {
    const whole = mixedDocument()
    const refs = Array.from(JSON.stringify(whole).matchAll(/"\$ref":"#\/([^"]+)"/g), ([, path = '']) => path)
    const find = (path: string): unknown =>
      path.split('/').reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), whole)
    expect(refs.length).toBeGreaterThan(10)
    expect(refs.filter((path) => find(path) === undefined)).toStrictEqual([])
    expect(JSON.stringify(whole)).not.toMatch(/"\$ref":"(?!#\/components\/)/)
  })

  it('has no unused components', () => {
    for (const whole of [mixedDocument(), mixedDocument({ major: 2 }), toDocument({ major: 1, endpoints: [] })]) {
      const text = JSON.stringify(whole)
      const { schemas, responses, parameters, headers } = whole.components
      const refs = Object.entries({ schemas, responses, parameters, headers }).flatMap(([group, parts]) =>
        Object.keys(parts).map((name) => `#/components/${group}/${name}`),
      )
      expect(refs.filter((ref) => !text.includes(`"$ref":"${ref}"`))).toStrictEqual([])
    }
  })

  it('has schemas that compile', () => {
    const whole = mixedDocument()
    const ajv = new Ajv2020({ strict: false, validateFormats: false, schemas: [{ $id: 'doc:/', ...whole }] })
    for (const { schema } of schemasIn(whole).filter(({ where }) => !where.includes('/properties/'))) {
      const located = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc:/#/components'))
      expect(() => ajv.compile(located as object)).not.toThrow()
    }
  })

  it('omits wildcard routes from paths and lists them separately', () => {
    const whole = mixedDocument()
    expect(Object.keys(whole.paths).filter((path) => path.includes('auth') || path.includes('*'))).toStrictEqual([])
    expect(whole['x-wildcard-routes']).toStrictEqual(['GET /api/auth/*', 'POST /api/auth/*'])
  })

  it('contains one major version', () => {
    expect(mixedDocument().paths).toHaveProperty(['/api/v1/own'])
    expect(mixedDocument().paths).not.toHaveProperty(['/api/v2/own'])
    expect(mixedDocument({ major: 2 }).paths).toHaveProperty(['/api/v2/own'])
    expect(mixedDocument({ major: 2 }).info.version).toBe('2.0.0')
  })

  it('describes authentication only if the app has auth', () => {
    expect(mixedDocument().security).toStrictEqual([])
    expect(mixedDocument().components).not.toHaveProperty('securitySchemes')
    const whole = mixedDocument({ hasAuth: true })
    expect(whole.security).toStrictEqual([{ bearer: [] }, { cookie: [] }, {}])
    expect(Object.keys(whole.components.securitySchemes ?? {})).toStrictEqual(['bearer', 'cookie'])
  })

  it('uses the limits of the app', () => {
    const whole = mixedDocument({ limits: { ...REQUEST_LIMITS, body: 1_000, target: 100 } })
    expect(whole.components.schemas['callSummarizeInput']).toMatchObject({ properties: { text: { maxLength: 1_000 } } })
    expect(whole.paths['/api/reports/{id}']?.['patch']?.parameters?.[0]).toMatchObject({ schema: { maxLength: 100 } })
  })

  it('uses the title of the app', () => {
    const info = { title: 'Tasks', version: '1.4.2', description: 'What is to be done' }
    expect(toDocument({ major: 1, endpoints: [], ...info }).info).toStrictEqual(info)
  })
})
