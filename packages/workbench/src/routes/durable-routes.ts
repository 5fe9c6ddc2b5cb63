import { ApiError, type InspectableRunStore, type Router } from '@sdk/server'
import { inspectRun } from '@sdk/server/node'
import type { DurableRunFilter, DurableRunList, RunSchedule } from '../api.ts'
import type { WorkbenchSchedule } from '../manifest.ts'
import { addRoute, type QueryOf } from './api-route.ts'
import { fields, isInteger, isMaybeText, isNumeral, type FieldCheck } from './fields.ts'

/** Dependencies of the routes for durable runs. */
export interface DurableDependencies {
  /** Returns the store of the app's durable runs, or null if the app has no durable agents. */
  readonly durableRuns: () => Pick<InspectableRunStore, 'inspect' | 'read' | 'threads'> | null
  readonly schedules: () => readonly WorkbenchSchedule[]
}

const STATUSES = ['queued', 'running', 'waiting', 'done', 'failed', 'cancelled'] as const

/** The number of ticks that are listed for each schedule. */
const NEXT_TICKS = 3

const DEFAULT_LIMIT = 50

const isStatus: FieldCheck = (value) =>
  value === undefined || value === '' || STATUSES.some((status) => status === value)
    ? null
    : `must be ${STATUSES.join(', ')}`

const LIST_QUERY = fields<QueryOf<'GET /_workbench/api/durable-runs'>>({
  agent: isMaybeText(64),
  status: isStatus,
  thread: isMaybeText(128),
  before: isMaybeText(32),
  limit: isNumeral(isInteger(1, 500)),
})

const RUN_QUERY = fields<{ from?: string }>({ from: isNumeral(isInteger(0, 1e9)) })

/** Adds the routes for durable runs. They only read: the pages change runs through the app's own routes. */
export function addDurableRoutes(router: Router, { durableRuns, schedules }: DurableDependencies): void {
  addRoute(router, 'GET /_workbench/api/durable-runs', {
    query: LIST_QUERY,
    handler: ({ query }) => listRuns(query, { durableRuns, schedules }),
  })
  addRoute(router, 'GET /_workbench/api/durable-runs/:id', {
    query: RUN_QUERY,
    async handler({ params: { id }, query: { from = '' } }) {
      const store = durableRuns()
      const found = store && (await inspectRun(store, id, from === '' ? undefined : Number(from)))
      if (found === null) throw new ApiError('NOT_FOUND', `durable run ${id.slice(0, 64)} not found`)
      return found
    },
  })
}

async function listRuns(
  query: { readonly [Name in keyof DurableRunFilter]?: string },
  { durableRuns, schedules }: DurableDependencies,
): Promise<DurableRunList> {
  const store = durableRuns()
  const limit = Number(query.limit || DEFAULT_LIMIT)
  const [agent, thread, before] = [query.agent || null, query.thread || null, query.before || null]
  const status = STATUSES.find((one) => one === query.status) ?? null
  const runs = store === null ? [] : await store.inspect.list({ agent, status, thread, before, limit: limit + 1 })
  return {
    isStored: store !== null,
    runs: runs.slice(0, limit),
    hasMore: runs.length > limit,
    schedules: schedules().map(toRunSchedule),
  }
}

function toRunSchedule({ agent, name, next }: WorkbenchSchedule): RunSchedule {
  const ticks: string[] = []
  for (let time = next(Date.now()); time !== null && ticks.length < NEXT_TICKS; time = next(time))
    ticks.push(new Date(time).toISOString())
  return { agent, schedule: name, next: ticks }
}
