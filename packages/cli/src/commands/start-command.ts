import type { Command } from './command.ts'
import { findProject } from '../discover.ts'
import { Failure } from '../failure.ts'
import { startBuilt } from '../start/start-built.ts'

/** The `sdk start` command. */
export const startCommand: Command = {
  summary: 'runs dist/server/index.js, the output of sdk build',
  options: {
    port: { value: 'number', summary: 'the port (default: PORT, then sdk.config.ts, then 3000)' },
    host: {
      value: 'address',
      summary: 'the address to listen on (default: HOST, then sdk.config.ts, then 127.0.0.1)',
    },
    workers: {
      value: 'number',
      summary:
        'the number of processes, or auto for one per core (default: WORKERS, then sdk.config.ts, then 1); SIGHUP replaces them by the last build',
    },
    check: {
      summary: 'prints the pending migrations and exits without starting the server (exit code 3 if there are any)',
    },
    json: { summary: 'also prints failures as JSON; the log always has one JSON object per line' },
  },
  examples: [
    'sdk start',
    'sdk start --workers auto',
    'sdk start --check',
    'PORT=8080 HOST=0.0.0.0 DATABASE_URL=postgres://… sdk start',
  ],
  async run({ cwd, text }) {
    if (await startBuilt({ cwd, port: text('port'), host: text('host'), workers: text('workers') })) return
    findProject(cwd) // throws a more specific error if there is no project
    throw new Failure('no build found in dist/server', { code: 'NO_BUILD', fix: 'run sdk build' })
  },
}
