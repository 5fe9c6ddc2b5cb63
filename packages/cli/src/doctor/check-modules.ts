import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Problem } from '@sdk/workbench'
import { assertLoadable } from '../discover.ts'
import { Failure } from '../failure.ts'
import { loadOnce } from '../load/load-once.ts'
import { toLocationText } from '../problem.ts'
import { routeTypesFile, toRouteTypes, writeRouteTypes, type RouteTypesSource } from '../route-types/route-types.ts'
import { checkLiveTables } from './check-live-tables.ts'
import { toFindings, type DoctorCheck, type Finding } from './finding.ts'

/** Checks that all modules load, that the route types are up to date, and that live tables have their triggers. */
export const checkModules: DoctorCheck = async ({ root, project, env }) => {
  if (project.agents.length === 0 && project.api === null && project.web === null) {
    const fix = 'add an agent with sdk add agent hello'
    const message = 'the project has no agents, no API and no web app'
    return toFindings('NOTHING_TO_RUN', 'error', { message, place: 'src', fix })
  }
  try {
    assertLoadable(root)
    const { app, router, pointers, problems } = await loadOnce(project)
    if (problems.length > 0) return problems.map(problemFinding)
    return [
      ...checkRouteTypes({ project, routes: app.routes, pointers }, root),
      ...app['~unbounded']().map(toInputFinding),
      ...(await checkLiveTables(router, env)),
    ]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code, message, fix = '' } = error
    // The message of `INVALID_PATH` contains the path.
    return [{ code, level: 'error', message, place: code === 'INVALID_PATH' ? 'src' : 'sdk.config.ts', fix }]
  }
}

function checkRouteTypes(source: RouteTypesSource, root: string): Finding[] {
  const file = routeTypesFile(root)
  const isThere = existsSync(file)
  if (isThere && readFileSync(file, 'utf8') === toRouteTypes(source)) return []
  return toFindings('ROUTE_TYPES_STALE', 'warning', {
    message: isThere ? 'the route types are out of date' : 'the route types are missing',
    place: relative(root, file),
    fix: 'run sdk types; sdk dev and sdk build also write the file',
    repair: () => void writeRouteTypes(source),
  })
}

function toInputFinding(place: string): Finding {
  const message = 'the input schema has no maximum size: clients can send as much as the request limits allow'
  const fix = 'add .max(…) to the array or string, or set the limits option next to the schema'
  return { code: 'INPUT_UNBOUNDED', level: 'warning', message, place, fix }
}

function problemFinding(problem: Problem): Finding {
  const fix = 'fix the file; sdk dev shows the line'
  return { code: 'LOAD_FAILED', level: 'error', message: problem.message, place: toLocationText(problem), fix }
}
