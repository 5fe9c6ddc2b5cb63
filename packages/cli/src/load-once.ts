import { createLog, memoryEngine } from '@sdk/server'
import { createServer } from 'vite'
import { createBackend } from './backend.ts'
import { compose, type Composed } from './compose.ts'
import type { Project } from './discover.ts'
import { Failure } from './failure.ts'
import { printProblem } from './problem.ts'
import type { Terminal } from './terminal.ts'
import { viteConfig } from './vite.ts'

/** Loads a project once and fails where a part of it does not load. */
export async function loadSound(project: Project, { err, paint }: Terminal): Promise<Composed> {
  const composed = await loadOnce(project)
  if (composed.problems.length === 0) return composed
  for (const problem of composed.problems) for (const line of [...printProblem(problem, paint), '']) err(line)
  const count = composed.problems.length
  throw new Failure(count === 1 ? 'one file does not load' : `${count} files do not load`)
}

/** Loads a project once, without serving it: for commands that ask what is in it. */
async function loadOnce(project: Project): Promise<Composed> {
  const vite = await createServer({
    ...viteConfig(project),
    server: { middlewareMode: true, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  })
  // Modules that open databases, or ask for the settings of production, leave that for a process that serves.
  process.env['SDK_PHASE'] = 'inspect'
  try {
    const loaded = await createBackend(vite).load(project)
    return compose(project, loaded, { engine: memoryEngine(), log: createLog() })
  } finally {
    delete process.env['SDK_PHASE']
    await vite.close()
  }
}
