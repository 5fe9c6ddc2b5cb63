import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createLog, type InspectQuery, type InspectedRun, type RunInspection } from '@sdk/server'
import { inspectRun } from '@sdk/server/node'
import type { DurableRunList } from '@sdk/workbench'
import { readDevServerInfo, type DevServerInfo } from '../dev/dev-server-info.ts'
import { discover } from '../discover.ts'
import { mayBeDurable, openStore } from '../run-store.ts'
import { databaseUrl, isEmbedded } from '../sql/query-database.ts'
import { Failure } from '../failure.ts'
import { fetchWorkbench, requestWorkbench } from './dev-server-runs.ts'

/** Reads the durable runs of a project. */
export interface DurableRuns {
  list(query: Omit<InspectQuery, 'before'>): Promise<readonly InspectedRun[]>
  /** Returns a run with the chunks from an index onward, or null if it does not exist. */
  find(id: string, from?: number): Promise<RunInspection | null>
  close(): Promise<void>
}

/**
 * Opens the durable runs of a project: through its running dev server, or in its database. Returns null if the project
 * has no durable agents or no database yet, since reading must not create anything.
 */
export async function openDurableRuns(root: string): Promise<DurableRuns | null> {
  const devServer = readDevServerInfo(root)
  if (devServer !== null) return toDevServerRuns(devServer)
  if (!discover(root).agents.some(({ file }) => mayBeDurable(file))) return null
  if (isEmbedded(databaseUrl()) && !existsSync(join(root, databaseUrl().slice('pglite://'.length)))) return null
  if (process.cwd() !== root) process.chdir(root) // the path of an embedded database is relative to the project
  const store = await openStore(join(root, 'package.json'), createLog({ level: 'error' }))
  return {
    list: (query) => store.inspect.list({ ...query, before: null }),
    find: (id, from) => inspectRun(store, id, from),
    close: () => store.close(),
  }
}

function toDevServerRuns(devServer: DevServerInfo): DurableRuns {
  return {
    async list({ agent, status, thread, limit }) {
      const given = Object.entries({ agent, status, thread, limit: String(limit) }).filter(
        ([, value]) => value !== null,
      )
      const query = new URLSearchParams(given as [string, string][])
      return (await requestWorkbench<DurableRunList>(devServer, `GET durable-runs?${query.toString()}`))?.runs ?? []
    },
    async find(id, from) {
      const path = `durable-runs/${id}${from === undefined ? '' : `?from=${from}`}` as const
      const response = await fetchWorkbench(devServer, `GET ${path}`)
      const found = response?.ok === true ? await response.json().catch(() => null) : null
      if (found !== null || response?.status === 404) return found as RunInspection | null
      throw new Failure(`the dev server at ${devServer.url} has stopped or cannot read its runs`, {
        code: 'CALL_FAILED',
        fix: 'an unfinished run continues when sdk dev is started again',
      })
    },
    close: () => Promise.resolve(),
  }
}
