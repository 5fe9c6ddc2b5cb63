import { describe, expect, it, vi } from 'vitest'
import { fileProject } from './project.test.fixture.ts'
import { readConfig } from './read-config.ts'

describe('readConfig', () => {
  it('returns an empty config without a file', async () => {
    expect(await readConfig(fileProject({}).root)).toEqual({})
  })

  it('reads TypeScript with imports', async () => {
    const { root } = fileProject({
      'ports.ts': `export const port: number = 4000\n`,
      'sdk.config.ts': `import { port } from './ports.ts'\n\nexport default { port, metrics: true }\n`,
    })
    expect(await readConfig(root)).toEqual({ port: 4000, metrics: true })
  })

  it('rejects an unknown LOG_LEVEL', async () => {
    vi.stubEnv('LOG_LEVEL', 'loud')
    await expect(readConfig(fileProject({}).root)).rejects.toMatchObject({
      code: 'INVALID_ENVIRONMENT',
      message: expect.stringContaining('LOG_LEVEL must be debug, info, warn, error or silent, got "loud"'),
    })
    vi.unstubAllEnvs()
  })

  it.each([
    ['export default {', 'sdk.config.ts:1:17 failed to load: '],
    [`import 'not-there'\nexport default {}`, 'not-there'],
    ['export const port = 1', 'the default export must be a config object'],
    ['export default { hosts: 1 }', 'unknown setting "hosts"'],
  ])('rejects %j', async (text, message) => {
    await expect(readConfig(fileProject({ 'sdk.config.ts': text }).root)).rejects.toThrow(message)
  })
})
