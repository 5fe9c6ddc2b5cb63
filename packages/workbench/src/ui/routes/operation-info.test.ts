import { describe, expect, it } from 'vitest'
import { createApiApp, readDocument } from './api.test.fixture.ts'
import { readOperationInfo, type OperationInfo } from './operation-info.ts'
import { resolveRef, toStandalone } from './openapi-document.ts'
import { toRouteGroups } from './route-groups.ts'

async function factsOf(route: string): Promise<OperationInfo> {
  const app = createApiApp()
  const groups = toRouteGroups(app.routes, [await readDocument(app, 1), await readDocument(app, 2)])
  const entry = groups.flatMap(({ entries }) => entries).find((one) => one.route === route)
  if (entry === undefined) throw new Error(`route not found: ${route}`)
  return readOperationInfo(entry)
}

const names = (parameters: readonly { name: string }[]): string[] => parameters.map(({ name }) => name)

describe('readOperationInfo', () => {
  it('returns the paging, sorting and filtering of a list', async () => {
    const info = await factsOf('GET /api/v1/tasks')
    expect(names(info.query)).toEqual(['limit', 'cursor', 'sort', 'count', 'expand', 'done', 'done[ne]', 'done[in]'])
    expect(info).toMatchObject({ hasBody: false, body: null, isLimited: true, isDocumented: true, auth: null })
  })

  it('returns the body and the responses of a write', async () => {
    const info = await factsOf('POST /api/v1/tasks')
    expect(info.body).toMatchObject({ type: 'object', properties: { title: { type: 'string' } } })
    expect(names(info.headers)).toEqual(['Idempotency-Key'])
    const created = info.responses.find(({ status }) => status === '201')
    expect(created).toMatchObject({ description: 'The new item', schema: { type: 'object' } })
    expect(info.responses.find(({ status }) => status === '415')?.schema).toMatchObject({ required: ['error'] })
  })

  it('returns the parameters of a path', async () => {
    const { path } = await factsOf('DELETE /api/v1/tasks/:id')
    expect(path).toMatchObject([{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }])
  })

  it('derives the info of an undocumented route from its name', async () => {
    expect(await factsOf('POST /api/auth/*')).toMatchObject({
      isDocumented: false,
      path: [{ name: '*', required: true }],
      hasBody: true,
      body: null,
      responses: [],
    })
  })
})

describe('toStandalone', () => {
  it('includes referenced schemas', async () => {
    const { body } = await factsOf('POST /api/folders')
    const text = JSON.stringify(body)
    expect(text).not.toContain('#/components/')
    const targets = [...text.matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map(([, name = '']) => name)
    expect(targets.length).toBeGreaterThan(0)
    expect(Object.keys(body?.['$defs'] ?? {})).toEqual(expect.arrayContaining(targets))
  })

  it('does not treat "$ref" in an enum as a reference', () => {
    const schema = { type: 'array', items: { enum: ['$ref'] } }
    expect(toStandalone({ paths: {} }, schema)).toEqual(schema)
  })
})

describe('resolveRef', () => {
  it('finds parts by name, and returns undefined if not found', async () => {
    const document = await readDocument(createApiApp())
    expect(resolveRef<{ in: string }>(document, { $ref: '#/components/parameters/If-Match' })).toMatchObject({
      in: 'header',
    })
    expect(resolveRef(document, { $ref: '#/components/parameters/Nobody' })).toBeUndefined()
    expect(resolveRef(document, { $ref: 'https://x.dev/schema' })).toBeUndefined()
  })
})
