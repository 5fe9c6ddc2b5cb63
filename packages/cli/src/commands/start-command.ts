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
    port: { value: 'number', summary: 'the port (PORT, else what sdk.config.ts says, else 3000)' },
    host: {
      value: 'address',
      summary: 'the address to listen on (HOST, else what sdk.config.ts says, else 127.0.0.1)',
    },
  },
  examples: ['sdk start', 'PORT=8080 HOST=0.0.0.0 DATABASE_URL=postgres://… sdk start'],
  async run({ cwd, text }) {
    const file = join(openProject(cwd).root, 'dist/server/index.js')
    if (!existsSync(file))
      throw new Failure('there is no build in dist/server', { code: 'NO_BUILD', fix: 'make one: sdk build' })
    process.env['NODE_ENV'] ??= 'production'
    const [port, host] = [text('port'), text('host')]
    if (port !== undefined) process.env['PORT'] = port
    if (host !== undefined) process.env['HOST'] = host
    await import(pathToFileURL(file).href)
  },
}
