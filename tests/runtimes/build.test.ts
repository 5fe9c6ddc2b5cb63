import { spawn } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createProject } from '@sdk/create'
import { startProcess, temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { SDK } from '../e2e/build-project.ts'
import { listRuntimes } from './runtimes.ts'

/** workerd has a test of its own. */
const RUNTIMES = listRuntimes().filter(({ name }) => name !== 'workerd')

describe.each(RUNTIMES)('sdk build for $name', ({ name, command: [program = ''] }) => {
  it('builds a server that serves the agent and the page, and exits with 0 on SIGTERM', async () => {
    const directory = join(temporaryFolder('build').path, 'app')
    createProject({ directory, packageManager: 'npm', template: 'minimal' })
    symlinkSync(join(import.meta.dirname, '../../node_modules'), join(directory, 'node_modules'))
    const target = name.startsWith('node') ? 'node' : name
    const build = await startProcess({
      command: process.execPath,
      args: [SDK, 'build', '--target', target],
      cwd: directory,
    })
    expect((await build.exited).code, build.output()).toBe(0)
    const args = [...(name === 'deno' ? ['run', '--allow-all'] : []), 'dist/server/index.js']
    const env = { PATH: process.env['PATH'], PORT: '0' }
    const child = spawn(program, args, { cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const exited = new Promise((resolve) => child.once('exit', resolve))
      const url = await new Promise<string>((resolve) =>
        createInterface(child.stdout).on('line', (line) => {
          const [found] = /http:\/\/[\d.:]+/.exec(line) ?? []
          if (found !== undefined) resolve(found)
        }),
      )
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"Ada"}' }
      expect(await (await fetch(`${url}/agent/greet`, init)).text()).toContain('Ada')
      const page = await fetch(url, { headers: { accept: 'text/html' } })
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      const html = await page.text()
      const [, script = ''] = /src="([^"]+\.js)"/.exec(html) ?? []
      const file = await fetch(url + script, { headers: { 'accept-encoding': 'identity' } })
      const expected = readFileSync(join(directory, 'dist/web', script))
      expect(Buffer.from(await file.arrayBuffer()).equals(expected)).toBe(true)
      expect((await fetch(`${url}/none.png`)).status).toBe(404)
      child.kill('SIGTERM')
      expect(await exited).toBe(0)
    } finally {
      child.kill('SIGKILL')
    }
  })
})
