import { existsSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Agent, InspectableRunStore, Log } from '@sdk/server'
import { resolvePackage } from './engine.ts'
import { Failure } from './failure.ts'
import { toAddCommand } from './package-manager.ts'

/** The store for the runs of a project's durable agents. It is opened once, for all versions of the app. */
export interface ProjectRuns {
  /** Opens the store if there are durable agents, and returns the app's `runs` option. */
  open(agents: readonly object[]): Promise<RunsOption>
  /** Returns the app's `runs` option, which is empty if the store is not open. */
  current(): RunsOption
  close(): Promise<void>
}

type RunsOption = { readonly runs?: InspectableRunStore }

/** Creates the store for runs on demand, in the project's database. `from` is a file in the project. */
export function createProjectRuns(from: string, log: Log): ProjectRuns {
  let option: RunsOption = {}
  return {
    async open(agents) {
      if (option.runs === undefined && agents.some(isDurable)) option = { runs: await openStore(from, log) }
      return option
    },
    current: () => option,
    close: async () => option.runs?.close(),
  }
}

/** Returns whether an agent may be durable. If so, it is loaded eagerly, since its runs continue without a call. */
export function mayBeDurable(file: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').includes('durable')
}

function isDurable(agent: object): boolean {
  return (agent as Partial<Agent>).durable !== undefined
}

/** Opens the store in the project's database. The tables are created on first use. */
export async function openStore(from: string, log: Log): Promise<InspectableRunStore> {
  const path = resolvePackage('@sdk/database', from)
  if (path === null) {
    const fix = toAddCommand('@sdk/database', from)
    throw new Failure('durable agents store their runs in a database, but @sdk/database is not installed', {
      code: 'PACKAGE_MISSING',
      fix,
    })
  }
  const loaded = (await import(pathToFileURL(path).href)) as {
    postgresRuns(options: { log: Log }): InspectableRunStore
  }
  return loaded.postgresRuns({ log })
}
