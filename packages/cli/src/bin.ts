import { run } from './run.ts'
import { createTerminal } from './terminal.ts'

// Ended by hand: what the project's modules opened must not keep a finished command alive.
process.exit(await run(process.argv.slice(2), { cwd: process.cwd(), terminal: createTerminal() }))
