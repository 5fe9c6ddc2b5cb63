import { startDirectly } from './start/start-built.ts'

// It is not an error if a reader, such as `head`, closes the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

const [name, ...args] = process.argv.slice(2)
if (name !== 'start' || !(await startDirectly(args, process.cwd()))) await loadAndRun()

async function loadAndRun(): Promise<never> {
  const [{ runCommandLine: run }, { createTerminal }] = await Promise.all([
    import('./run-command-line.ts'),
    import('./terminal.ts'),
  ])
  // Exits explicitly: resources that the project's modules opened must not keep a finished command alive.
  process.exit(await run(process.argv.slice(2), { cwd: process.cwd(), terminal: createTerminal() }))
}
