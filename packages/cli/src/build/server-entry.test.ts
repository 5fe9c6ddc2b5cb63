import { describe, expect, it } from 'vitest'
import { toServerEntry } from './server-entry.ts'

describe('toServerEntry', () => {
  it('imports and runs the agents and the router', () => {
    const project = {
      root: '/app',
      agents: [{ name: 'a', file: '/app/src/agent/a/index.ts' }],
      api: '/app/src/api/index.ts',
      web: { folder: '/app/src/web', html: null },
    }
    const entry = toServerEntry(project, { web: [] })
    expect(entry).toContain('import agent0 from "/app/src/agent/a/index.ts"')
    expect(entry).toContain('import router from "/app/src/api/index.ts"')
    expect(entry).toContain(
      'runBuilt({ agents: [agent0], router: router, base: import.meta.url, web: [], settings: {}, formatError: null })',
    )
  })

  it('supports projects without an API and a web app', () => {
    const entry = toServerEntry({ root: '/app', agents: [], api: null, web: null })
    expect(entry).toContain(
      'runBuilt({ agents: [], router: null, base: import.meta.url, web: null, settings: {}, formatError: null })',
    )
  })

  it('contains the settings of sdk.config.ts at build time', () => {
    const entry = toServerEntry(
      { root: '/app', agents: [], api: null, web: null },
      { settings: { port: 4000, cors: ['https://a.b'] } },
    )
    expect(entry).toContain('settings: {"port":4000,"cors":["https://a.b"]}')
  })

  it('imports the module that formats errors, relative to the project', () => {
    const settings = { formatError: './src/format-error.ts' }
    const entry = toServerEntry({ root: '/app', agents: [], api: null, web: null }, { settings })
    expect(entry).toContain('import formatError from "/app/src/format-error.ts"')
    expect(entry).toContain('formatError: formatError })')
  })
})
