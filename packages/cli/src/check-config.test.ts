import { describe, expect, it } from 'vitest'
import { checkConfig } from './check-config.ts'
import { appSettings } from './config.ts'

describe('checkConfig', () => {
  it('accepts every setting', () => {
    const config = {
      port: 4000,
      host: '0.0.0.0',
      logLevel: 'warn',
      rateLimit: { agent: { quota: 10, window: 60 } },
      cors: ['https://app.example.com'],
      trustedProxies: ['10.0.0.0/8'],
      limits: { body: 1000 },
      metrics: true,
      webHeaders: { 'X-Frame-Options': 'DENY', 'referrer-policy': null },
      formatError: './src/format-error.ts',
      vite: { plugins: [] },
    }
    expect(checkConfig(config)).toBe(config)
    expect(Object.keys(appSettings(checkConfig(config)))).toEqual([
      'rateLimit',
      'cors',
      'trustedProxies',
      'limits',
      'metrics',
    ])
  })

  it.each([
    [{ prot: 1 }, 'unknown setting "prot"', 'did you mean port?'],
    [{ constructor: 1 }, 'unknown setting "constructor"', 'available settings: port, host'],
    [{ port: '80' }, 'port must be a number from 0 to 65535, got "80"', 'correct port'],
    [
      { cors: 'https://a.b' },
      'cors must be an array of origins such as [\'https://app.example.com\'], got "https://a.b"',
      'correct',
    ],
    [{ cors: ['https://a.b/path'] }, 'cors must list exact origins', 'correct it in sdk.config.ts'],
    [{ rateLimit: { agent: { quota: 'many' } } }, 'rateLimit.agent must have a quota', 'correct it'],
    [{ logLevel: 'loud' }, "logLevel must be 'debug', 'info'", 'correct logLevel'],
    [{ webHeaders: { a: 1 } }, 'webHeaders must be an object', 'correct webHeaders'],
    [{ webHeaders: { a: 'b\r\nset-cookie: c' } }, 'webHeaders must be', 'correct webHeaders'],
    [{ webHeaders: { 'Content-Type': 'text/html' } }, 'webHeaders must be', 'correct webHeaders'],
    [
      { formatError: () => ({ status: 400, body: '' }) },
      "formatError must be the path of a module whose default export is the function, such as './src/format-error.ts', got function",
      'correct formatError',
    ],
    [undefined, 'the default export must be a config object', 'export default defineConfig('],
  ])('rejects %j', (config, message, fix) => {
    expect(() => checkConfig(config)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(`sdk.config.ts: ${message}`),
        fix: expect.stringContaining(fix),
        code: 'INVALID_CONFIG',
      }),
    )
  })
})
