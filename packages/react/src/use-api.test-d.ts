import type { CallOutput } from '@sdk/frontend'
import { describe, expectTypeOf, it } from 'vitest'
import type { ApiMutationResult, ApiQueryResult, InvokeArguments, PageItem, PagesResult, QueryRoute } from './index.ts'
import { useAPI, useAuth, usePages } from './index.ts'
import { temporaryId, useOutbox, type OutboxItem } from './offline.ts'

// A filled registry is checked by registry.test.ts.
describe('useAPI without a registry', () => {
  it('accepts any route and types it as unknown', () => {
    expectTypeOf(useAPI<'GET /a'>).returns.toEqualTypeOf<ApiQueryResult<'GET /a'>>()
    expectTypeOf(useAPI<'POST /a'>).returns.toEqualTypeOf<ApiMutationResult<'POST /a'>>()
    expectTypeOf<CallOutput<'GET /a'>>().toBeUnknown()
    expectTypeOf<CallOutput<'GET /a'>>().not.toBeAny()
    expectTypeOf<QueryRoute>().toEqualTypeOf<string>()
  })

  it('requires the params of the path', () => {
    // @ts-expect-error -- without params
    expectTypeOf(() => useAPI('GET /a/:id')).not.toBeAny()
    expectTypeOf(() => useAPI('GET /a/:id', { params: { id: 7 } })).returns.toHaveProperty('data')
    expectTypeOf(() => useAPI({ route: 'GET /a/:id', params: { id: 7 } })).returns.toHaveProperty('refetch')
  })

  it('infers the data from select', () => {
    expectTypeOf(() => useAPI('GET /a', { select: (data) => String(data) }))
      .returns.toHaveProperty('data')
      .toEqualTypeOf<string | undefined>()
  })

  it('has offline mutations with temporary ids, and no offline queries', () => {
    expectTypeOf(() => useAPI('POST /a', { offline: true })).returns.toHaveProperty('invoke')
    expectTypeOf<ApiMutationResult<'POST /a'>['invoke']>().toBeCallableWith({}, { temporaryId: temporaryId() })
    // @ts-expect-error -- only mutations wait
    expectTypeOf(() => useAPI('GET /a', { offline: true })).not.toBeAny()
    expectTypeOf(useAuth).returns.toHaveProperty('signOut').toBeCallableWith({ discard: true })
    expectTypeOf(useOutbox).returns.toHaveProperty('items').toEqualTypeOf<readonly OutboxItem[]>()
  })

  it('accepts a payload first if the method has one, or else only options', () => {
    expectTypeOf<InvokeArguments<'POST /a'>[0]>().toBeUnknown()
    expectTypeOf<InvokeArguments<'POST /a'>['length']>().toEqualTypeOf<0 | 1 | 2>()
    expectTypeOf<InvokeArguments<'DELETE /a/:id'>['length']>().toEqualTypeOf<0 | 1>()
    expectTypeOf<NonNullable<InvokeArguments<'DELETE /a/:id'>[0]>['params']>().toEqualTypeOf<
      { id: string | number } | undefined
    >()
  })
})

describe('usePages without a registry', () => {
  it('has unknown items', () => {
    expectTypeOf(usePages<'GET /a'>).returns.toEqualTypeOf<PagesResult<'GET /a'>>()
    expectTypeOf<PageItem<'GET /a'>>().toBeUnknown()
  })
})
