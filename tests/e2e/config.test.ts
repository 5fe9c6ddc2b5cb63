import { spawnNode, startProcess } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { SDK, URL_LINE } from './build-project.ts'
import { createDemoProject, type DemoProject } from './demo-project.ts'

describe('sdk.config.ts', () => {
  it('is used by build and start, and by dev', async () => {
    const project = createDemoProject()
    project.write(
      'sdk.config.ts',
      `import { defineConfig } from '@sdk/cli'

export default defineConfig({
  port: 1,
  host: '127.0.0.2',
  metrics: true,
  rateLimit: { agent: { quota: 7, window: 60 } },
  vite: { define: { __WORD__: '"a word"' } },
})

async function sdk({ path }: DemoProject, ...args: string[]): Promise<[number | null, string]> {
  const running = await startProcess({ command: process.execPath, args: [SDK, ...args], cwd: path })
  return [(await running.exited).code, running.output()]
}
