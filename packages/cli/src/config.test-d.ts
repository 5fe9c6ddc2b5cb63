import { describe, expectTypeOf, it } from 'vitest'
import { defineConfig, type Config } from './config.ts'

describe('defineConfig', () => {
  it('accepts every setting', () => {
    expectTypeOf(
      defineConfig({ port: 1, host: '::', logLevel: 'warn', metrics: true, cors: [] }),
    ).toEqualTypeOf<Config>()
    defineConfig({ rateLimit: false, trustedProxies: ['10.0.0.0/8'], limits: { body: 1 }, vite: { plugins: [] } })
    defineConfig({ formatError: './src/format-error.ts' })
  })

  it('rejects unknown settings and invalid values', () => {
    expectTypeOf<'prot'>().not.toExtend<keyof Config>()
    // @ts-expect-error: the setting is port
    defineConfig({ prot: 1 })
    // @ts-expect-error: not a level
    defineConfig({ logLevel: 'loud' })
    // @ts-expect-error: formatError must be the path of a module, which the built server imports
    defineConfig({ formatError: () => ({ status: 400, body: null }) })
    // @ts-expect-error: the engine is chosen by REDIS_URL
    defineConfig({ engine: {} })
  })
})
