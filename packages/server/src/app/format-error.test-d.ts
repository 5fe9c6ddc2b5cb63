import { describe, expectTypeOf, it } from 'vitest'
import type { ApiError } from '@sdk/protocol'
import { createApp, type Context, type FormatError } from '../index.ts'

describe('formatError', () => {
  it('receives an ApiError and a context that can be null', () => {
    expectTypeOf<FormatError>().parameters.toEqualTypeOf<[ApiError, Context<unknown, unknown> | null]>()
    createApp({
      formatError(error, ctx) {
        // @ts-expect-error: ctx is null if the request could not be parsed
        void ctx.requestId
        return { status: error.status, headers: { 'x-request': ctx?.requestId ?? '' }, body: { any: 'value' } }
      },
    })
  })

  it('returns a status and a body, not a promise', () => {
    // @ts-expect-error: the body is missing
    const incomplete: FormatError = ({ status }) => ({ status })
    // @ts-expect-error: it cannot be async
    const asynchronous: FormatError = async ({ status }) => ({ status, body: null })
    // @ts-expect-error: a header is a string
    const numeric: FormatError = ({ status }) => ({ status, headers: { age: 1 }, body: null })
    expectTypeOf([incomplete, asynchronous, numeric]).toEqualTypeOf<FormatError[]>()
  })
})
