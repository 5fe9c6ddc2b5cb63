import { describe, expectTypeOf, it } from 'vitest'
import { testApp, type MatrixCell, type TestApp, type TestAppOptions } from './testing.ts'

describe('testApp', () => {
  it('accepts a folder of recorded model calls', () => {
    expectTypeOf(testApp).toBeCallableWith('.', { models: './models' })
    expectTypeOf(testApp).toBeCallableWith('.', { models: undefined })
    expectTypeOf(testApp).returns.resolves.toEqualTypeOf<TestApp>()
    // @ts-expect-error -- a list of folders
    const _options: TestAppOptions = { models: ['./models'] }
  })

  it('names the scores of a matrix by its variants', () => {
    const _matrix = async (app: TestApp) => {
      const { scores, cells } = await app.agent('poem').matrix({
        inputs: [{ subject: 'tea' }],
        variants: { small: { model: 'a' }, large: { model: 'b' } },
        scores: (output) => (output === null ? 0 : 1),
      })
      expectTypeOf(scores).toEqualTypeOf<Readonly<Record<'small' | 'large', number>>>()
      expectTypeOf(cells[0]).toEqualTypeOf<MatrixCell | undefined>()
      // @ts-expect-error -- a score is a number
      await app.agent('poem').matrix({ inputs: [{}], scores: () => 'good' })
    }
    expectTypeOf(_matrix).toBeFunction()
  })
})
