import { describe, expectTypeOf, it } from 'vitest'
import type { AuthUser } from '../auth/auth-source.ts'
import {
  createClient,
  type CallArguments,
  type CallOptions,
  type ClientOptions,
  type RequestOptions,
} from '../index.ts'

describe('CallArguments', () => {
  it('has only options for routes without a payload', () => {
    expectTypeOf<CallArguments<'GET /a'>>().toEqualTypeOf<[options?: CallOptions<'GET /a'>]>()
    expectTypeOf<CallArguments<'DELETE /a/:id'>>().toEqualTypeOf<[options: CallOptions<'DELETE /a/:id'>]>()
  })

  it('has the payload first for all other routes', () => {
    expectTypeOf<CallArguments<'POST /a'>>().toEqualTypeOf<[input?: unknown, options?: CallOptions<'POST /a'>]>()
    expectTypeOf<CallArguments<'PATCH /a/:id'>>().toEqualTypeOf<
      [input: unknown, options: CallOptions<'PATCH /a/:id'>]
    >()
  })

  it('accepts the options of every request', () => {
    type Options = NonNullable<CallArguments<'GET /a'>[0]>
    expectTypeOf<Options>().toExtend<RequestOptions>()
    expectTypeOf<Options['retry']>().toEqualTypeOf<number | false | undefined>()
    expectTypeOf<Options['timeoutMs']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Options['credentials']>().toEqualTypeOf<RequestCredentials | undefined>()
    expectTypeOf<Options['signal']>().toEqualTypeOf<AbortSignal | undefined>()
  })

  it('rejects unknown options', () => {
    const client = createClient()
    const calls = [
      () => client.call('GET /a', { retry: 2, timeoutMs: 1000, credentials: 'include' }),
      () => client.stream('POST /a', {}, { retry: false }),
      // @ts-expect-error -- retry is a number or false
      () => client.call('GET /a', { retry: true }),
      // @ts-expect-error -- the option is timeoutMs
      () => client.call('GET /a', { timeout: 1000 }),
      // @ts-expect-error -- params.id is missing
      () => client.call('GET /a/:id'),
    ]
    expectTypeOf(calls).toBeArray()
  })
})

describe('ClientOptions', () => {
  it('has the same options as a request for retry, timeoutMs and credentials', () => {
    type Shared = 'retry' | 'timeoutMs' | 'credentials'
    expectTypeOf<Pick<ClientOptions, Shared>>().toEqualTypeOf<Pick<RequestOptions, Shared>>()
  })
})

describe('AuthUser', () => {
  it('has additional fields of type unknown', () => {
    expectTypeOf<AuthUser['role']>().toBeUnknown()
    expectTypeOf<AuthUser['name']>().toEqualTypeOf<string>()
  })
})
