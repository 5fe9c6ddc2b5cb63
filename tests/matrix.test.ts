import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { spawnNode, temporaryFolder } from '@sdk/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { NODE_VARIABLE } from '../scripts/nodes.ts'

const folder = temporaryFolder('matrix')
afterAll(() => folder.remove())

describe('the Node version of `npm run matrix`', () => {
  const expected = process.env[NODE_VARIABLE] ?? process.version
  const print = (command: string, ...args: string[]): string => execFileSync(command, args, { encoding: 'utf8' }).trim()

  it('runs the tests and their threads', async () => {
    expect(process.version).toBe(expected)
    const worker = new Worker('require("node:worker_threads").parentPort.postMessage(process.version)', { eval: true })
    expect(await new Promise((resolve) => worker.once('message', resolve))).toBe(expected)
  })

  it('runs child processes', async () => {
    const file = join(folder.path, 'version.ts')
    writeFileSync(file, 'console.log(`on ${process.version as string}`)\n')
    const second = await spawnNode({ file, ready: /on v.*/ })
    expect(second.url).toBe(`on ${expected}`)
    await second.exited
  })

  it('runs programs started by a shell or npm', () => {
    expect(print('node', '--version')).toBe(expected)
    expect(print('sh', '-c', 'node --version')).toBe(expected)
    expect(JSON.parse(print('npm', 'version', '--json'))).toMatchObject({ node: expected.slice(1) })
  })
})
