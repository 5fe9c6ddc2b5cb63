import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { spawnNode } from './spawn-node.ts'
import { temporaryFolder } from './temporary-folder.ts'

const folder = temporaryFolder('spawn-node')
afterAll(() => folder.remove())

describe('spawnNode', () => {
  it('runs a TypeScript file and waits for its URL', async () => {
    const file = write(
      'serve.ts',
      `
      const port: number = Number(process.env['PORT'])
      console.log('starting')
      console.log('ready on http://127.0.0.1:' + port + ' ' + process.argv[2])
      setInterval(() => {}, 1000)
    `,
    )
    const server = await spawnNode({ file, args: ['--fast'], env: { PORT: '4321' } })
    expect(server.url).toBe('http://127.0.0.1:4321')
    expect(server.output()).toContain('--fast')
    expect(await server.stop()).toEqual({ code: null, signal: 'SIGTERM' })
  })

  it('rejects with the error if the file throws', async () => {
    const file = write('fail.js', `throw new Error('no database')`)
    await expect(spawnNode({ file })).rejects.toThrow('no database')
  })
})

function write(name: string, text: string): string {
  const file = join(folder.path, name)
  writeFileSync(file, text)
  return file
}
