import {
  decodeCursor,
  invalidRequest,
  parseRunPosition,
  PAGE_LIMIT,
  type ApiError,
  type DetailSource,
  type RunPosition,
} from '@sdk/protocol'
import type { RequestContext } from '../context/context.ts'
import type { Agent } from '../define/agent.ts'
import { httpError } from '../http/http-error.ts'
import { sha256 } from '../idempotency/fingerprint.ts'
import { parseIdempotencyKey } from '../idempotency/idempotency-key.ts'
import { keptChunks } from './follow-run.ts'
import { VISIBLE_ID } from './step/pauses.ts'
import type { RunStore, StoredRun } from './store/run-store.ts'

/** The minimum length of a guest's key. The key identifies the run, so other guests must not be able to guess it. */
const MIN_GUEST_KEY = 16

/** The maximum value of `wait`, in seconds. */
const MAX_WAIT_S = 60

/** Matches the times in cursors, except those that do not exist. PostgreSQL has no year 0. */
const ISO_TIME = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The format of the id of a run. */
export const RUN_ID: RegExp = /^[0-9a-f]{32}$/

/** Returns the query parameters of a request. */
export function queryOf({ query }: RequestContext): Record<string, string | undefined> {
  return query as Record<string, string | undefined>
}

/** Returns the id of the signed-in user, or null for a guest. */
export function userIdOf({ auth }: Pick<RequestContext, 'auth'>): string | null {
  return auth?.session.userId ?? null
}

/**
 * Reads the `Idempotency-Key` header. Returns null if there is none. For a guest, returns a hash of the key and the
 * caller's credentials, so that clients that a middleware authenticates cannot join each other's runs.
 */
export async function readRunKey(ctx: RequestContext): Promise<string | null> {
  const key = parseIdempotencyKey(ctx.incoming.header('idempotency-key'))
  if (key === null || userIdOf(ctx) !== null) return key
  const credentials = ['authorization', 'cookie'].map((name) => ctx.incoming.header(name))
  if (key.length >= MIN_GUEST_KEY) return sha256(JSON.stringify([...credentials, key]))
  const message = `must have at least ${MIN_GUEST_KEY} characters if the caller is not signed in, because it identifies the run`
  throw invalid({ source: 'header', name: 'Idempotency-Key', message })
}

/** Reads the `Run-Thread` header. Returns null if there is none. Throws 401 for guests, who have no threads. */
export function readThread(ctx: RequestContext, text: string | null, source: DetailSource = 'header'): string | null {
  if (text === null) return null
  if (userIdOf(ctx) === null) throw httpError('UNAUTHORIZED', 'Sign in to use threads')
  return parseId(text, { source, name: source === 'header' ? 'Run-Thread' : 'thread' })
}

/**
 * Reads the `Prefer` header (RFC 7240): the time in ms after which the client prefers a 202 to the result, and the
 * preference that this applies. For streams, `wait` is ignored. So are malformed preferences.
 */
export function readPreference({ incoming }: RequestContext, isStream: boolean): { ms: number; applied: string } {
  const text = incoming.header('prefer') ?? ''
  const seconds = isStream ? undefined : /(?:^|,)\s*wait\s*=\s*"?(\d{1,5})"?\s*(?:[;,]|$)/i.exec(text)?.[1]
  if (seconds !== undefined) return { ms: Number(seconds) * 1000, applied: `wait=${Number(seconds)}` }
  const isAsync = /(?:^|,)\s*respond-async\s*(?:[;,]|$)/i.test(text)
  return isAsync ? { ms: 0, applied: 'respond-async' } : { ms: Number.POSITIVE_INFINITY, applied: '' }
}

/** Parses `wait`, in ms. */
export function parseWait(text: string | undefined): number {
  if (text === undefined) return 0
  if (/^\d{1,2}$/.test(text) && Number(text) <= MAX_WAIT_S) return Number(text) * 1000
  throw invalid({ source: 'query', name: 'wait', message: `must be a number of seconds from 0 to ${MAX_WAIT_S}` })
}

/** Parses the `id` of an event. Returns the key under which the event is stored. */
export function parseEventKey(event: string, id: string | undefined): string {
  return id === undefined ? event : `${event} ${parseId(id, { source: 'query', name: 'id' })}`
}

function parseId(text: string, named: { source: DetailSource; name: string }): string {
  if (VISIBLE_ID.test(text)) return text
  throw invalid({ ...named, message: 'must have 1 to 128 printable ASCII characters without spaces' })
}

/** Parses `limit`. */
export function parseLimit(text: string | undefined): number {
  if (text === undefined) return PAGE_LIMIT.default
  if (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= PAGE_LIMIT.max) return Number(text)
  throw invalid({ source: 'query', name: 'limit', message: `must be an integer from 1 to ${PAGE_LIMIT.max}` })
}

/** Parses `cursor`. Throws 400 if it is invalid: a store would fail with a forged time or id. */
export function parseListCursor(
  text: string | undefined,
  { list, idFormat }: { list: string; idFormat: RegExp },
): { readonly time: string; readonly id: string } | null {
  if (text === undefined) return null
  const [time = '', id = ''] = decodeCursor(text, list).after.map(String)
  if (!isTime(time) || !idFormat.test(id)) decodeCursor('', list) // throws
  return { time, id }
}

function isTime(text: string): boolean {
  const date = new Date(text)
  return ISO_TIME.test(text) && !Number.isNaN(date.getTime()) && date.toISOString() === text
}

/** The position from which a stream continues. */
export interface ReadStart {
  readonly position: RunPosition
  /** Whether chunks before the requested position were retracted. */
  readonly isRetracted: boolean
}

/** Resolves a position in a run. The default is the beginning. Throws 400 if it is malformed or beyond the end. */
export function resolvePosition(
  run: StoredRun,
  text: string | null,
  named: { source: DetailSource; name: string },
): ReadStart {
  const epoch = Math.max(1, run.epoch)
  if (text === null) return { position: { epoch, index: 0 }, isRetracted: false }
  const asked = parseRunPosition(text)
  if (asked === null || asked.epoch === 0) throw invalid({ ...named, message: 'must be a position such as 1.57' })
  const index = keptChunks(run, asked)
  if (asked.epoch > epoch || index > run.chunks) throw invalid({ ...named, message: 'is beyond the end of the run' })
  return { position: { epoch, index }, isRetracted: index < asked.index }
}

/** Finds a run that the caller may see. Throws 404 if there is no such run, and 410 if it has expired. */
export async function findRun(store: Pick<RunStore, 'get'>, agent: Agent, ctx: RequestContext): Promise<StoredRun> {
  const { run: id = '' } = ctx.params as { run?: string }
  const run = RUN_ID.test(id) ? await store.get(id) : null
  if (run === null || run.agent !== agent.name || !(isOwner(run, ctx) || (await hasAccess(run, agent, ctx))))
    throw httpError('NOT_FOUND', `no run has the id ${id.slice(0, 64)}`)
  if (run.isGone) throw httpError('RUN_GONE', 'the run has ended, and its result is no longer stored')
  return run
}

/** Returns whether the caller is the owner of a run. A guest's run belongs to every caller who knows its id. */
export function isOwner({ userId }: StoredRun, ctx: RequestContext): boolean {
  return userId === null || userId === userIdOf(ctx)
}

/** Returns whether `durable.access` lets the caller see a run and send events to it. */
export async function hasAccess(run: StoredRun, { durable }: Agent, ctx: RequestContext): Promise<boolean> {
  if (durable?.access === undefined) return false
  const { id, userId } = run
  return durable.access({ user: (await ctx.auth?.getUser()) ?? null, run: { id, userId } })
}

function invalid(detail: { source: DetailSource; name: string; message: string }): ApiError {
  return invalidRequest([{ code: 'INVALID_FORMAT', ...detail }])
}
