import type { Command } from './command.ts'
import { findProject } from '../discover.ts'
import { Failure } from '../failure.ts'
import { startBuilt } from '../start/start-built.ts'

/** `sdk start` */
export const startCommand: Command = {
  summary: 'runs what sdk build made; node dist/server/index.js does the same',
  options: {
    port: { value: 'number', summary: 'the port (PORT, else what sdk.config.ts says, else 3000)' },
    host: {
      value: 'address',
      summary: 'the address to listen on (HOST, else what sdk.config.ts says, else 127.0.0.1)',
    },
    json: { summary: 'failures as JSON, too; the log always is one JSON object a line' },
  },
  examples: ['sdk start', 'PORT=8080 HOST=0.0.0.0 DATABASE_URL=postgres://… sdk start'],
  async run({ cwd, text }) {
    if (await startBuilt({ cwd, port: text('port'), host: text('host') })) return
    findProject(cwd) // fails with its own message where there is no project
    throw new Failure('there is no build in dist/server', { code: 'NO_BUILD', fix: 'make one: sdk build' })
  },
}
