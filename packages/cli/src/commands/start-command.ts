import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from '../command.ts'
import { openProject } from '../discover.ts'
import { Failure } from '../failure.ts'

/** `sdk start` */
export const startCommand: Command = {
  summary: 'runs what sdk build made; node dist/server/index.js does the same',
  options: {
    port: { value: 'number', summary: 'the port (PORT, else 3000)' },
    host: { value: 'address', summary: 'the address to listen on (HOST, else 127.0.0.1)' },
  },
  async run({ cwd, text }) {
    const file = join(openProject(cwd).root, 'dist/server/index.js')
    if (!existsSync(file)) throw new Failure('there is no build in dist/server', { fix: 'make one: sdk build' })
    process.env['NODE_ENV'] ??= 'production'
    process.env['PORT'] = text('port') ?? process.env['PORT'] ?? '3000'
    process.env['HOST'] = text('host') ?? process.env['HOST'] ?? '127.0.0.1'
    await import(pathToFileURL(file).href)
  },
}
