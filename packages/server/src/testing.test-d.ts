import { describe, expectTypeOf, it } from 'vitest'
import { testApp, type TestApp, type TestAppOptions } from './testing.ts'

describe('testApp', () => {
  it('accepts a folder of recorded model calls', () => {
    expectTypeOf(testApp).toBeCallableWith('.', { models: './models' })
    expectTypeOf(testApp).toBeCallableWith('.', { models: undefined })
    expectTypeOf(testApp).returns.resolves.toEqualTypeOf<TestApp>()
    // @ts-expect-error -- a list of folders
    const _options: TestAppOptions = { models: ['./models'] }
  })
})
