import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { mixedDocument } from './mixed-app.test.fixture.ts'
import type { Operation } from './operation.ts'

const whole = mixedDocument({ hasAuth: true })
const ROUTES = [
  ['/api/v1/tasks', 'get'],
  ['/api/v1/tasks', 'post'],
  ['/api/v1/tasks/{id}', 'get'],
  ['/api/v1/tasks/{id}', 'put'],
  ['/api/v1/tasks/{id}', 'patch'],
  ['/api/v1/tasks/{id}', 'delete'],
] as const

function operation(path: string, method: string, { paths } = whole): Operation {
  const found = paths[path]?.[method]
  if (found === undefined) throw new Error(`the document has no ${method} ${path}`)
  return found
}

function accepting(name: string): (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, schemas: [{ $id: 'doc:/', ...whole }] })
  const accepts = ajv.compile({ $ref: `doc:/#/components/schemas/${name}` })
  return (value) => accepts(value)
}

const ITEM = {
  id: 7,
  title: 'Paint',
  notes: null,
  status: 'open',
  priority: 3,
  effort: null,
  isUrgent: false,
  dueDate: '2026-01-31',
  remindAt: '2026-01-31T10:00:00.000Z',
  place: null,
  tree: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

describe('a resource in the document', () => {
  it('is valid in every version', async () => {
    for (const major of [1, 2]) {
      const result = await new Validator().validate({ ...mixedDocument({ major }) })
      expect(result).toStrictEqual({ valid: true })
    }
  })

  it('has six operations with ids and tags', () => {
    expect(ROUTES.map(([path, method]) => operation(path, method).operationId)).toStrictEqual([
      'listTasks',
      'createTask',
      'getTask',
      'replaceTask',
      'updateTask',
      'deleteTask',
    ])
    for (const [path, method] of ROUTES) expect(operation(path, method).tags).toStrictEqual(['tasks'])
    expect(whole.tags).toContainEqual({ name: 'tasks', description: 'What is to be done' })
  })

  it('has only the operations that its store supports', () => {
    const paths = Object.entries(whole.paths).filter(([path]) => path.startsWith('/api/v1/errors'))
    expect(paths.flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`))).toStrictEqual([
      'get /api/v1/errors',
      'get /api/v1/errors/{id}',
      'delete /api/v1/errors/{id}',
    ])
  })

  it('lists each possible status', () => {
    const statuses = ROUTES.map(([path, method]) => Object.keys(operation(path, method).responses).join(' '))
    expect(statuses).toStrictEqual([
      '200 304 400 401 403 406 429 500 default',
      '201 400 401 403 406 409 413 415 422 429 500 default',
      '200 304 400 401 403 404 406 429 500 default',
      '200 400 401 403 404 406 409 412 413 415 422 429 500 default',
      '200 400 401 403 404 406 409 412 413 415 422 429 500 default',
      '200 400 401 403 404 406 409 412 422 429 500 default',
    ])
  })

  it('has headers for the location and version of an item', () => {
    const created = operation('/api/v1/tasks', 'post').responses['201']
    expect(created).toMatchObject({ headers: { Location: {}, ETag: {}, 'Idempotent-Replayed': {} } })
    for (const method of ['put', 'patch', 'delete'])
      expect(operation('/api/v1/tasks/{id}', method).responses['200']).toMatchObject({
        headers: { 'Idempotent-Replayed': {} },
      })
    expect(operation('/api/v1/tasks', 'get').responses['200']).toMatchObject({ headers: { ETag: {}, Link: {} } })
    const { 200: found, 304: same } = operation('/api/v1/tasks/{id}', 'get').responses
    expect(found).toMatchObject({ headers: { ETag: {}, 'Last-Modified': {}, 'Cache-Control': {} } })
    expect(same).not.toHaveProperty('content')
  })

  it('has every field, with null for no value', () => {
    const accepts = accepting('Task')
    const { notes: _, ...lacking } = ITEM
    expect([accepts(ITEM), accepts(lacking), accepts({ ...ITEM, title: null })]).toStrictEqual([true, false, false])
    expect(accepts({ ...ITEM, remindAt: '2026-01-31T11:00:00+01:00' })).toBe(false)
    expect(accepts({ ...ITEM, added: 'later' })).toBe(true)
  })

  it('has pages of items', () => {
    const accepts = accepting('TaskPage')
    const pagination = { limit: 20, hasMore: false, nextCursor: null, prevCursor: null }
    expect(accepts({ data: [ITEM], pagination })).toBe(true)
    expect(accepts({ data: [ITEM], pagination: { ...pagination, total: 1, nextCursor: 'eyJ' } })).toBe(true)
    expect(accepts({ data: [{ id: 1 }], pagination })).toBe(false)
    expect(accepts({ data: [], pagination: { limit: 20 } })).toBe(false)
  })

  it('can be created only from its own fields', () => {
    const accepts = accepting('TaskCreateInput')
    expect([accepts({ title: 'Paint' }), accepts({}), accepts({ title: 'Paint', id: 1 })]).toStrictEqual([
      true,
      false,
      false,
    ])
    expect(accepts({ title: 'Paint', remindAt: '2026-01-31T11:00:00+01:00' })).toBe(true)
  })

  it('can be sent back unchanged', () => {
    expect(accepting('TaskReplaceInput')(ITEM)).toBe(true)
    expect(accepting('TaskReplaceInput')({ ...ITEM, title: null })).toBe(false)
    expect(accepting('TaskReplaceInput')({ ...ITEM, more: 1 })).toBe(false)
    expect(accepting('TaskUpdateInput')(ITEM)).toBe(true)
  })

  it('can be updated in part at every depth, except within arrays', () => {
    const accepts = accepting('TaskUpdateInput')
    const rooms = [{ number: 1 }]
    expect([{}, { notes: null }, { place: { street: 'x' } }, { place: { rooms } }].every(accepts)).toBe(true)
    expect([{ title: null }, { place: { street: null } }].some(accepts)).toBe(false)
    expect([{ place: { rooms: [{}] } }, { place: { town: 'x' } }, { nope: null }].some(accepts)).toBe(false)
    expect(accepts({ tree: { name: 'x' } })).toBe(true)
    expect(accepts({ tree: { children: [{ name: 'x' }] } })).toBe(false)
    const { content = {} } = operation('/api/v1/tasks/{id}', 'patch').requestBody ?? {}
    expect(Object.keys(content)).toStrictEqual(['application/merge-patch+json', 'application/json'])
  })

  it('can be filtered and sorted as defined', () => {
    const { parameters = [] } = operation('/api/v1/tasks', 'get')
    const named = new Map(parameters.flatMap((one) => ('name' in one ? [[one.name, one]] : [])))
    const of = (field: string): string[] => [...named.keys()].filter((name) => name.startsWith(`${field}[`))
    expect([...named.keys()].slice(0, 4)).toStrictEqual(['limit', 'cursor', 'sort', 'count'])
    expect(named.has('notes')).toBe(false)
    expect(of('isUrgent')).toStrictEqual(['isUrgent[ne]', 'isUrgent[in]'])
    expect(of('priority')).toHaveLength(6)
    expect(of('remindAt')).toHaveLength(7)
    expect(named.get('remindAt[null]')?.schema).toStrictEqual({ type: 'boolean' })
    expect(named.get('status')?.schema).toMatchObject({ enum: ['open', 'done'], maxLength: 4 })
    expect(named.get('remindAt[gt]')?.schema).toMatchObject({ format: 'date-time' })
    expect(named.get('priority[in]')).toMatchObject({ explode: false, schema: { items: { type: 'integer' } } })
    const pattern = new RegExp(String(named.get('sort')?.schema['pattern']))
    expect(['id', '-priority,title', 'createdAt,-id,title'].every((sort) => pattern.test(sort))).toBe(true)
    expect(['', 'notes', 'id,id,id,id', '--id', 'id,'].some((sort) => pattern.test(sort))).toBe(false)
  })

  it('describes its deprecation', () => {
    expect(operation('/api/v1/errors', 'get')).toMatchObject({
      deprecated: true,
      responses: {
        200: { headers: { Deprecation: {}, Sunset: {}, Link: {} } },
        410: { $ref: '#/components/responses/Gone' },
      },
    })
    const { deprecated, responses } = operation('/api/v2/errors', 'get', mixedDocument({ major: 2 }))
    expect(deprecated).toBeUndefined()
    expect(responses).not.toHaveProperty('410')
  })

  it('requires If-Match if it is defined as required', () => {
    const { parameters, responses } = operation('/api/v1/errors/{id}', 'delete')
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/If-Match-Required' })
    expect(responses).toHaveProperty('428')
    expect(operation('/api/v1/tasks/{id}', 'delete').parameters).toContainEqual({
      $ref: '#/components/parameters/If-Match',
    })
  })

  it('does not use the names of shared schemas', () => {
    expect(whole.components.schemas['Error']).toMatchObject({ required: ['error'] })
    expect(whole.components.schemas['ErrorsItem']).toMatchObject({ properties: { text: {} } })
    // A user who can delete a row cannot always read it.
    expect(operation('/api/v1/errors/{id}', 'delete').responses['200']).toMatchObject({
      content: { 'application/json': { schema: { anyOf: [{ $ref: '#/components/schemas/ErrorsItem' }, {}] } } },
    })
  })
})
