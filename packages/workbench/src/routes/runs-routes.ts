import { ApiError, type Router } from '@sdk/server'
import type { RunFilter, Settings } from '../api.ts'
import type { SettingsFile } from '../settings-file.ts'
import type { RunStore } from '../store/run-store.ts'
import { addRoute, type QueryOf } from './api-route.ts'
import { fields, isBoolean, isListOf, isMaybeText, isNumeral, textOf, isInteger } from './fields.ts'

/** A run filter as query parameters. */
type FilterQuery = QueryOf<'GET /_workbench/api/runs'>

const RUNS_QUERY = fields<FilterQuery>({
  route: isMaybeText(500),
  status: isMaybeText(20),
  caller: isMaybeText(200),
  identity: isMaybeText(320),
  slower: isNumeral(isInteger(0, 3_600_000)),
  requestId: isMaybeText(200),
  durableRun: isMaybeText(64),
  search: isMaybeText(200),
  before: isMaybeText(200),
  limit: isNumeral(isInteger(1, 500)),
})

const PIN_INPUT = fields<{ isPinned: boolean }>({ isPinned: isBoolean })

const SETTINGS_INPUT = fields<Settings>({
  maxRuns: isInteger(1, 100_000),
  maxBytes: isInteger(1_000_000, 10_000_000_000),
  redact: isListOf(textOf(100), 100),
  isRecording: isBoolean,
})

/** Dependencies of the routes for runs. */
export interface RunsDependencies {
  readonly store: RunStore
  readonly settings: SettingsFile
  readonly onCleared: () => void
}

/** Adds the routes for runs and errors. */
export function addRunsRoutes(router: Router, { store, onCleared }: RunsDependencies): void {
  addRoute(router, 'GET /_workbench/api/runs', {
    query: RUNS_QUERY,
    handler: ({ query }) => store.list(toRunFilter(query)),
  })
  addRoute(router, 'DELETE /_workbench/api/runs', {
    async handler() {
      const deleted = await store.clear()
      onCleared()
      return { deleted }
    },
  })
  addRoute(router, 'GET /_workbench/api/runs/:id', {
    handler: async ({ params: { id } }) => foundOr404(await store.read(id), id),
  })
  addRoute(router, 'POST /_workbench/api/runs/:id/pin', {
    input: PIN_INPUT,
    handler: async ({ params: { id } }, { isPinned }) => foundOr404(await store.pin(id, isPinned), id),
  })
  addRoute(router, 'GET /_workbench/api/errors', { handler: async () => ({ groups: await store.errors() }) })
}

/** Adds the routes for settings. */
export function addSettingsRoutes(router: Router, { store, settings }: RunsDependencies): void {
  addRoute(router, 'GET /_workbench/api/settings', { handler: () => settings.get() })
  addRoute(router, 'PUT /_workbench/api/settings', {
    input: SETTINGS_INPUT,
    handler(_, input) {
      const fault = settings.set(input)
      store.limit(input)
      return { ...input, fault }
    },
  })
}

function foundOr404<T>(found: T | null, id: string): T {
  if (found === null) throw new ApiError('NOT_FOUND', `run ${id} not found: it may have been deleted`)
  return found
}

/** Converts a query to a filter. Drops empty values, which forms send for fields that were left empty. */
function toRunFilter({ slower = '', limit = '', ...texts }: FilterQuery): RunFilter {
  const given = Object.entries(texts).filter(([, value]) => value !== '')
  return {
    ...Object.fromEntries(given),
    ...(slower !== '' && { slower: Number(slower) }),
    ...(limit !== '' && { limit: Number(limit) }),
  }
}
