import { ApiError, createRouter, type Router } from '@sdk/server'
import type { RunFilter, Settings } from '../api.ts'
import { fields, isBoolean, isListOf, isMaybeText, isNumeral, isText, isWhole } from './fields.ts'
import type { SettingsFile } from '../settings-file.ts'
import type { RunStore } from '../store/run-store.ts'

/** A filter as it stands in a query. */
type FilterQuery = { readonly [Name in keyof RunFilter]?: string }

const QUERY = fields<FilterQuery>({
  route: isMaybeText(500),
  status: isMaybeText(20),
  caller: isMaybeText(200),
  identity: isMaybeText(320),
  slower: isNumeral(isWhole(0, 3_600_000)),
  requestId: isMaybeText(200),
  search: isMaybeText(200),
  before: isMaybeText(200),
  limit: isNumeral(isWhole(1, 500)),
})

const PIN = fields<{ isPinned: boolean }>({ isPinned: isBoolean })

const SETTINGS = fields<Settings>({
  maxRuns: isWhole(1, 100_000),
  maxBytes: isWhole(1_000_000, 10_000_000_000),
  redact: isListOf(isText(100), 100),
  isRecording: isBoolean,
})

/** What the routes of runs work with. */
export interface RunsParts {
  readonly store: RunStore
  readonly settings: SettingsFile
  /** Told when runs were deleted. */
  readonly onCleared: () => void
}

/** The routes of runs, errors and settings. */
export function runsRouter({ store, settings, onCleared }: RunsParts): Router {
  const router: Router = createRouter()
  router.on('GET /runs', { query: QUERY, handler: (ctx) => store.list(toFilter(ctx.query)) })
  router.on('DELETE /runs', async () => {
    const deleted = await store.clear()
    onCleared()
    return { deleted }
  })
  router.on('GET /runs/:id', async ({ params }) => known(await store.read(params.id), params.id))
  router.on('POST /runs/:id/pin', {
    input: PIN,
    handler: async ({ params }, { isPinned }) => known(await store.pin(params.id, isPinned), params.id),
  })
  router.on('GET /errors', async () => ({ groups: await store.errors() }))
  router.on('GET /settings', () => settings.get())
  router.on('PUT /settings', {
    input: SETTINGS,
    handler(_, input) {
      settings.set(input)
      store.limit(input)
      return input
    },
  })
  return router
}

function known<T>(found: T | null, id: string): T {
  if (found === null) throw new ApiError('NOT_FOUND', `there is no run ${id}, or it is no longer kept`)
  return found
}

/** What is empty was left out: forms send it so. */
function toFilter({ slower = '', limit = '', ...texts }: FilterQuery): RunFilter {
  const given = Object.entries(texts).filter(([, value]) => value !== '')
  return {
    ...Object.fromEntries(given),
    ...(slower !== '' && { slower: Number(slower) }),
    ...(limit !== '' && { limit: Number(limit) }),
  }
}
