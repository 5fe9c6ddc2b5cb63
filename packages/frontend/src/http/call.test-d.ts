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
  it('takes options alone for routes without a payload, and may leave them out', () => {
    expectTypeOf<CallArguments<'GET /a'>>().toEqualTypeOf<[options?: CallOptions<'GET /a'>]>()
    expectTypeOf<CallArguments<'DELETE /a/:id'>>().toEqualTypeOf<[options: CallOptions<'DELETE /a/:id'>]>()
  })

  it('takes the payload first for all others', () => {
    expectTypeOf<CallArguments<'POST /a'>>().toEqualTypeOf<[input?: unknown, options?: CallOptions<'POST /a'>]>()
    expectTypeOf<CallArguments<'PATCH /a/:id'>>().toEqualTypeOf<
      [input: unknown, options: CallOptions<'PATCH /a/:id'>]
    >()
  })

  it('takes what every request takes', () => {
    type Options = NonNullable<CallArguments<'GET /a'>[0]>
    expectTypeOf<Options>().toExtend<RequestOptions>()
    expectTypeOf<Options['retry']>().toEqualTypeOf<number | false | undefined>()
    expectTypeOf<Options['timeoutMs']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Options['credentials']>().toEqualTypeOf<RequestCredentials | undefined>()
    expectTypeOf<Options['signal']>().toEqualTypeOf<AbortSignal | undefined>()
  })

  it('refuses what it does not know', () => {
    const client = createClient()
    const calls = [
      () => client.call('GET /a', { retry: 2, timeoutMs: 1000, credentials: 'include' }),
      () => client.stream('POST /a', {}, { retry: false }),
      // @ts-expect-error -- how many times?
      () => client.call('GET /a', { retry: true }),
      // @ts-expect-error -- it is called timeoutMs
      () => client.call('GET /a', { timeout: 1000 }),
      // @ts-expect-error -- the path has an id
      () => client.call('GET /a/:id'),
    ]
    expectTypeOf(calls).toBeArray()
  })
})

describe('ClientOptions', () => {
  it('has the defaults of its calls', () => {
    type Shared = 'retry' | 'timeoutMs' | 'credentials'
    expectTypeOf<Pick<ClientOptions, Shared>>().toEqualTypeOf<Pick<RequestOptions, Shared>>()
  })
})

describe('AuthUser', () => {
  it('has the fields of your own, as they come', () => {
    expectTypeOf<AuthUser['role']>().toBeUnknown()
    expectTypeOf<AuthUser['name']>().toEqualTypeOf<string>()
  })
})
