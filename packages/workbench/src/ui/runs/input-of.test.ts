import { describe, expect, it } from 'vitest'
import type { Run } from '../../run.ts'
import { inputOf } from './input-of.ts'
import { createRun, textOf } from './run.test.fixture.ts'

describe('inputOf', () => {
  it('returns the path parameters and the query of the request', () => {
    const run = createRun({ route: 'GET /api/items/:id/:part', target: '/api/items/a%20b/x?tag=1&tag=2&q=tea' })
    const { params, query } = inputOf(run)
    expect(params).toEqual({ id: 'a b', part: 'x' })
    expect(query).toEqual({ tag: ['1', '2'], q: 'tea' })
  })

  it('returns the unchanged body, and only relevant headers', () => {
    const headers = [
      ['content-type', 'application/json'],
      ['x-tenant', 'a'],
      ['sec-fetch-mode', 'cors'],
    ] as const
    const input = inputOf(createRun({ request: { headers, body: textOf('{"a": 1.0}') } }))
    expect(input.body).toBe('{"a": 1.0}')
    expect(input.headers).toEqual([['x-tenant', 'a']])
  })

  it('returns the input of a tool call as a request to its route', () => {
    const via = 'POST /api/mcp'
    const callOf = (args: object): Run['request'] => ({
      headers: [['mcp-protocol-version', '2025-11-25']],
      body: textOf(JSON.stringify({ method: 'tools/call', params: { name: 'it', arguments: args } })),
    })
    const args = { id: 7, done: true }
    const read = createRun({ via, route: 'GET /api/items/:id', target: '/api/mcp', request: callOf(args) })
    expect(inputOf(read)).toEqual({ body: '', headers: [], params: { id: '7' }, query: { done: true } })
    const change = { ...read, route: 'PATCH /api/items/:id' }
    expect(inputOf(change)).toEqual({ body: '{"done":true}', headers: [], params: { id: '7' }, query: {} })
    const invalid = createRun({ via, route: 'POST /agent/echo', request: { headers: [], body: textOf('{') } })
    expect(inputOf(invalid)).toEqual({ body: '{}', headers: [], params: {}, query: {} })
  })

  it('returns no text for a binary body, and no parameters without a route', () => {
    const body = { text: 'AAE=', bytes: 2, isCut: false, encoding: 'base64' } as const
    const run = createRun({ route: null, target: '/api/nothing/%E0', request: { headers: [], body } })
    expect(inputOf(run)).toEqual({ body: '', headers: [], params: {}, query: {} })
  })
})
