import { createLog, memoryEngine } from '@sdk/server'
import { createServer } from 'vite'
import { createProjectLoader } from './project-loader.ts'
import { compose, type ComposedApp } from './compose.ts'
import { appSettings } from '../config.ts'
import type { Project } from '../discover.ts'
import { Failure } from '../failure.ts'
import { printProblem } from '../problem.ts'
import { readConfig } from '../read-config.ts'
import type { Terminal } from '../terminal.ts'
import { viteLoadConfig } from '../vite-config.ts'

/** Loads a project once. Throws if any part of it fails to load. */
export async function loadOrFail(project: Project, { err, paint }: Terminal): Promise<ComposedApp> {
  const composed = await loadOnce(project)
  if (composed.problems.length === 0) return composed
  for (const problem of composed.problems) for (const line of [...printProblem(problem, paint), '']) err(line)
  const count = composed.problems.length
  throw new Failure(count === 1 ? 'one file failed to load' : `${count} files failed to load`, {
    code: 'LOAD_FAILED',
    fix: 'fix the errors above; sdk dev shows them while you edit',
  })
}

/** Loads a project once without serving it, for commands that inspect it. */
export async function loadOnce(project: Project): Promise<ComposedApp> {
  const config = await readConfig(project.root)
  const vite = await createServer(viteLoadConfig(project, config.vite))
  // In this phase, the project's modules neither open a database nor require production settings.
  process.env['SDK_PHASE'] = 'inspect'
  try {
    const loaded = await createProjectLoader(vite, config).load(project)
    return compose(project, loaded, { engine: memoryEngine(), log: createLog(), ...appSettings(config) })
  } finally {
    delete process.env['SDK_PHASE']
    await vite.close()
  }
}
