import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError, type Router } from '@sdk/server'
import { matrixFolder } from '@sdk/server/node'
import type { MatrixResult } from '@sdk/server/testing'
import type { MatrixSummary } from '../api.ts'
import { addRoute } from './api-route.ts'

/** Dependencies of the routes for scored matrices. */
export interface MatrixDependencies {
  /** The folder of the project, in which tests store the results. */
  readonly project: string
}

/** Adds the routes for scored matrices, which only read the files of tests. */
export function addMatrixRoutes(router: Router, { project }: MatrixDependencies): void {
  const folder = matrixFolder(project)
  // The files never change. A file that cannot be read is not listed.
  const known = new Map<string, MatrixSummary | null>()
  addRoute(router, 'GET /_workbench/api/matrix', {
    handler() {
      const ids = listIds(folder).toReversed()
      for (const id of ids) if (!known.has(id)) known.set(id, toMatrixSummary(id, readResult(folder, id)))
      return { results: ids.map((id) => known.get(id) ?? null).filter((one) => one !== null) }
    },
  })
  addRoute(router, 'GET /_workbench/api/matrix/:id', {
    handler({ params: { id } }) {
      const result = listIds(folder).includes(id) ? readResult(folder, id) : null
      if (result === null) throw new ApiError('NOT_FOUND', `matrix ${id.slice(0, 64)} not found`)
      return result
    },
  })
}

/** Returns the names of the files, oldest first. */
function listIds(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
    return names.map((name) => name.slice(0, -'.json'.length)).toSorted()
  } catch {
    return [] // no test has stored a result
  }
}

function readResult(folder: string, id: string): MatrixResult | null {
  try {
    const result = JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8')) as MatrixResult
    return typeof result.route === 'string' && Array.isArray(result.cells) ? result : null
  } catch {
    return null // deleted in the meantime, or not written by a test
  }
}

function toMatrixSummary(id: string, result: MatrixResult | null): MatrixSummary | null {
  return result && { id, route: result.route, at: result.at, scores: result.scores, calls: result.cells.length }
}
