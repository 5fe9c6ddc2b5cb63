import { isFileLoadingAllowed, resolveConfig } from 'vite'
import { describe, expect, it } from 'vitest'
import { deniedFiles } from './vite-config.ts'

const ROOT = '/home/me/pg_projects/app'

async function servesFrom(url: string | undefined): Promise<(file: string) => boolean> {
  const fs = { allow: [ROOT], deny: deniedFiles(ROOT, url) }
  const config = await resolveConfig({ configFile: false, root: ROOT, server: { fs } }, 'serve')
  return (file) => isFileLoadingAllowed(config, `${ROOT}/${file}`)
}

describe('deniedFiles', () => {
  it.each([
    '.env',
    '.env.local',
    '.npmrc',
    'packages/web/.npmrc',
    '.sdk/secret',
    '.sdk/data/base/1/1259',
    '.sdk/workbench/runs',
    'my-data/base/5/16384',
    'my-data/base/5/16384_fsm',
    'my-data/global/1260',
    'my-data/pg_wal/000000010000000000000001',
  ])('includes %s', async (file) => {
    expect((await servesFrom(undefined))(file)).toBe(false)
  })

  it('includes the embedded database of DATABASE_URL', async () => {
    expect((await servesFrom('pglite://my-data'))('my-data/postgresql.conf')).toBe(false)
    expect((await servesFrom(`pglite://${ROOT}/my-data`))('my-data/postgresql.conf')).toBe(false)
    expect((await servesFrom('pglite://memory'))('my-data/postgresql.conf')).toBe(true)
  })

  it.each([
    'src/web/App.tsx',
    '.sdk/vite/deps/react.js',
    'src/base/1.ts',
    'src/global/index.ts',
    'node_modules/a/b.js',
  ])('does not include %s', async (file) => {
    expect((await servesFrom('pglite://my-data'))(file)).toBe(true)
  })
})
