import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createResource, type Resource } from '../define/resource.ts'
import { resourceEndpoints } from '../resource/resource-endpoints.ts'
import { memoryStore } from '../resource/memory-store.ts'
import { createRouter } from '../define/router.ts'
import { toDocument, type OpenApiDocument } from './document.ts'
import type { JsonSchema } from '../schema/json-schema.ts'

const Node = z.object({
  name: z.string(),
  get parts() {
    return z.array(Node).optional()
  },
  get next() {
    return Node.nullable().optional()
  },
})

function documentOf(resource: Resource): OpenApiDocument {
  const endpoints = createRouter()
    .resource('v1', resource)
    .entries.flatMap((entry) => (entry.kind === 'resource' ? resourceEndpoints(entry) : []))
  return toDocument({ endpoints, major: 1 })
}

function accepting(document: OpenApiDocument, name: string): (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, schemas: [{ $id: 'doc:/', ...document }] })
  const accepts = ajv.compile({ $ref: `doc:/#/components/schemas/${name}` } satisfies JsonSchema)
  return (value) => accepts(value)
}

describe('a resource with a recursive schema', () => {
  const document = documentOf(createResource('nodes', { schema: Node, store: memoryStore(), access: 'public' }))
  const at = '2026-01-01T00:00:00.000Z'
  const item = {
    id: 1,
    name: 'a',
    parts: [{ name: 'b' }],
    next: { name: 'c', parts: [] },
    createdAt: at,
    updatedAt: at,
  }

  it('describes nested values, not rows', () => {
    const accepts = accepting(document, 'Node')
    expect(accepts(item)).toBe(true)
    expect(accepts({ ...item, parts: [{ parts: [] }] })).toBe(false)
  })

  it.each(['NodeCreateInput', 'NodeReplaceInput', 'NodeUpdateInput'])('rejects nested row members: %s', (name) => {
    const accepts = accepting(document, name)
    const { parts, next } = item
    expect(accepts({ name: 'a', parts, next })).toBe(true)
    expect(accepts({ name: 'a', parts: [{ name: 'b', id: 7 }] })).toBe(false)
    expect(accepts({ name: 'a', parts: [{ parts: [] }] })).toBe(false)
  })
})

describe('a resource with assign', () => {
  it('mentions assigned fields in the description of writes', () => {
    const rules = { schema: z.object({ title: z.string() }), store: memoryStore(), access: 'public' } as const
    const { paths } = documentOf(createResource('notes', { ...rules, assign: () => ({ ownerId: 'ada' }) }))
    expect(paths['/api/v1/notes']?.['post']?.description).toBe(
      'Creates a new note. Fields assigned by the server cannot be sent.',
    )
    expect(paths['/api/v1/notes']?.['get']?.description).toBe('Lists notes, page by page.')
    expect(documentOf(createResource('notes', rules)).paths['/api/v1/notes']?.['post']?.description).toBe(
      'Creates a new note.',
    )
  })
})
