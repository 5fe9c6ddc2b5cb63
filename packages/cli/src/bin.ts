import { run } from './run.ts'
import { createTerminal } from './terminal.ts'

// Who reads only the first lines, as head does, is not a mistake of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

// Ended by hand: what the project's modules opened must not keep a finished command alive.
process.exit(await run(process.argv.slice(2), { cwd: process.cwd(), terminal: createTerminal() }))
