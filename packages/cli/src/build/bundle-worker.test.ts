import { join } from 'node:path'
import { expect, it } from 'vitest'
import { discover } from '../discover.ts'
import { fileProject } from '../project.test.fixture.ts'
import { bundleWorker } from './bundle-worker.ts'

it('names the files that import modules of Node, and creates the configuration in which they can be allowed', async () => {
  const files = {
    'src/api/index.ts': `import { createRouter } from '@sdk/server'\nimport { pause } from '../pause.ts'\nexport default createRouter().on('GET /api/wait', () => pause(1))\n`,
    'src/pause.ts': `export { setTimeout as pause } from 'timers/promises'\n`,
  }
  const project = fileProject(files, { isInstalled: true })
  const options = { config: {}, web: null, outDir: join(project.root, 'out'), target: 'workers' } as const
  await expect(bundleWorker(discover(project.root), options)).rejects.toMatchObject({
    message: expect.stringMatching(
      /^the server imports (node:)?timers\/promises, which Cloudflare Workers do not have$/,
    ),
    lines: [expect.stringContaining('timers/promises is imported by src/pause.ts')],
  })
  const config = JSON.parse(project.read('wrangler.jsonc')) as { compatibility_flags: string[] }
  config.compatibility_flags.push('nodejs_compat')
  project.write({ 'wrangler.jsonc': JSON.stringify(config) })
  expect((await bundleWorker(discover(project.root), options)).size).toBeGreaterThan(1000)
})
