import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createResource } from '../define/resource.ts'
import { appOf } from './app.test.fixture.ts'
import { memoryStore } from './memory-store.ts'
import type { Where } from '../define/store.ts'

class Rule {
  get ownerId(): string {
    return 'ada'
  }
}

describe('access', () => {
  it.each([[[]], [['ada']], [new Map([['ownerId', 'ada']])], [new Rule()], [new Date()], ['ada']])(
    'fails with 500 if it returns %o instead of a plain object',
    async (rule) => {
      const lines: string[] = []
      const access = (): Where => rule as unknown as Where
      const resource = createResource('notes', { schema: z.object({ a: z.string() }), store: memoryStore(), access })
      expect(await appOf(resource, {}, lines)('GET /notes')).toMatchObject({ status: 500 })
      expect(lines.join()).toContain('access must return true, false or an object of field values')
    },
  )

  it('accepts an object without a prototype', async () => {
    const access = (): Where => Object.assign(Object.create(null) as object, { a: 'x' })
    const resource = createResource('notes', { schema: z.object({ a: z.string() }), store: memoryStore(), access })
    expect(await appOf(resource)('GET /notes')).toMatchObject({ status: 200 })
  })
})
