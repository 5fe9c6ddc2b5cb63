import { createApp, createLog, createResource, createRouter } from '@sdk/server'
import { openShared } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openDatabase, table } from '../index.ts'
import { toStoreError } from './store-error.ts'

describe('toStoreError', () => {
  const layout = {
    table: '"notes"',
    columns: [{ field: 'title', name: 'title', type: 'string' }],
    version: 'version',
  } as const
  const missing = (column: string): Error => Object.assign(new Error('null value'), { code: '23502', column })

  it('returns a 400 for a missing value of a column that callers can set', () => {
    expect(toStoreError(missing('title'), layout, 'write')).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ pointer: '/title' }],
    })
  })

  it('returns the error itself for a column of a newer version, so that it is logged as a 500', () => {
    const error = missing('language')
    expect(toStoreError(error, layout, 'write')).toBe(error)
  })

  it('logs the name of the column that a newer version requires', async () => {
    const database = await openShared(openDatabase)
    const schema = z.object({ title: z.string() })
    const notes = createResource('notes', { schema, store: table('notes', { database }), access: 'public' })
    const lines: string[] = []
    const log = createLog({ format: 'json', write: (line) => void lines.push(line) })
    const app = createApp({ router: createRouter().resource('v1', notes), log })
    await notes.store.ready?.()
    await database.query('alter table notes add column language text not null')
    const headers = { 'content-type': 'application/json' }
    const request = { method: 'POST', headers, body: JSON.stringify({ title: 'a' }) }
    const response = await app.fetch(new Request('http://localhost/api/v1/notes', request))
    expect(response.status).toBe(500)
    expect(lines.filter((line) => line.includes('"level":"error"')).join()).toMatch(/null value in column .*language/)
    await app.close()
  })
})
