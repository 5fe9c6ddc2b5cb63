import { isApiError, toPointer, type ErrorDetail } from '@sdk/protocol'
import type { ResourceKey } from '../define/resource-key.ts'
import type { Fields, Row, Scalar, StoreWith, Where } from '../define/store.ts'
import { httpError, validationError } from '../http/http-error.ts'
import type { Reply } from '../http/reply.ts'
import { requireAccess, signInRequired } from './access.ts'
import { intersectWhere } from './access-rule.ts'
import { assign } from './assign.ts'
import { createRow } from './create.ts'
import { parsePreconditions } from './etag.ts'
import { isValueIssue, parseScalar } from './field-value.ts'
import { rowNotFound } from './read.ts'
import type { ResourceRequest, ResourceRuntime } from './resource-runtime.ts'
import { changedTooOften, MAX_CHANGE_ATTEMPTS } from './row-lock.ts'
import { isSameJson } from './values.ts'

/** A request to one of the key routes of a resource. */
export interface KeyRequest<Result = Reply> {
  readonly store: StoreWith<'list'>
  readonly runtime: ResourceRuntime
  readonly key: ResourceKey
  readonly call: ResourceRequest
  /** Runs the equivalent route for the row's id. */
  runWithId(call: ResourceRequest): Promise<Result>
}

/** Handles `GET`, `PATCH` and `DELETE` requests for the row with the requested key. */
export async function runByKey<Result>(request: KeyRequest<Result>): Promise<Result> {
  const target = await readKey(request)
  return runOn(request, target, (await findByKey(request, target)) ?? rowNotFound())
}

/** Handles `PUT` requests, which replace the row with the requested key, or create it if it does not exist. */
export async function putByKey(request: KeyRequest & { store: StoreWith<'list' | 'create'> }): Promise<Reply> {
  const { store, runtime, call } = request
  const target = await readKey(request)
  for (let tries = 0; tries < MAX_CHANGE_ATTEMPTS; tries++) {
    const row = await findByKey(request, target)
    try {
      if (row !== null) return await runOn(request, target, row)
      assertMayCreate(call)
      const where = await requireAccess(runtime.resource.definition, 'create', call.ctx)
      return await createRow(store, runtime, { ...call, where, body: target.body })
    } catch (error) {
      const isRace = isApiError(error) && error.code === (row === null ? 'CONFLICT' : 'NOT_FOUND')
      // Rethrow the error unless another request has created or deleted the row in the meantime.
      if (!isRace || ((await findByKey(request, target)) === null) === (row === null)) throw error
    }
  }
  throw changedTooOften()
}

interface KeyTarget {
  /** The condition that the row must match: the caller's access and the key. */
  readonly where: Where
  /** The body, including the fields of the key. */
  readonly body: unknown
}

function runOn<Result>(request: KeyRequest<Result>, { where, body }: KeyTarget, { id }: Row): Promise<Result> {
  const { call } = request
  call.ctx.params = { id }
  return request.runWithId({ ...call, where, body })
}

async function findByKey({ store }: Pick<KeyRequest, 'store'>, { where }: KeyTarget): Promise<Row | null> {
  const sort = [{ field: 'id', isDescending: false }]
  const { rows } = await store.list({ limit: 1, sort, after: null, conditions: [], where, isCounted: false })
  return rows[0] ?? null
}

async function readKey({ runtime, key, call }: Omit<KeyRequest, 'runWithId'>): Promise<KeyTarget> {
  const values = parseKey(key, call.ctx.params as Record<string, string>)
  const body = call.body === undefined ? undefined : withKey(call.body, values)
  const assigned = key.assigned.length === 0 ? {} : await assignKey(runtime, key, { ...call, body: values })
  return { where: intersectWhere(call.where, { ...values, ...assigned }, 'key'), body }
}

function parseKey({ fields }: ResourceKey, params: Readonly<Record<string, string>>): Record<string, Scalar> {
  const issues: ErrorDetail[] = []
  const values: Record<string, Scalar> = {}
  for (const { name, type } of fields) {
    const value = parseScalar(params[name] ?? '', type)
    if (isValueIssue(value)) issues.push({ ...value, source: 'path', name })
    else values[name] = value
  }
  if (issues.length > 0) throw validationError(issues)
  return values
}

/** Adds the fields of the key to the body. Throws 400 if the body has a different value for one of them. */
function withKey(body: unknown, values: Readonly<Record<string, Scalar>>): unknown {
  // Bodies of other types are rejected later.
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const issues = Object.entries(values)
    .filter(([name, value]) => Object.hasOwn(body, name) && !isSameJson((body as Fields)[name], value))
    .map(([name]): ErrorDetail => {
      const message = 'must match the value in the path'
      return { code: 'INVALID_VALUE', message, source: 'body', pointer: toPointer([name]) }
    })
  if (issues.length > 0) throw validationError(issues)
  return { ...body, ...values }
}

/** Returns the fields of the key that only `assign` sets. */
async function assignKey(runtime: ResourceRuntime, { assigned: names }: ResourceKey, call: ResourceRequest) {
  const { resource } = runtime
  if (resource.definition.access !== 'public' && call.ctx.auth === null) throw signInRequired()
  const fresh = { action: 'create' as const, candidate: call.body as Fields, row: null, isUnchanged: () => false }
  const { assigned } = await assign(runtime, call, fresh)
  return Object.fromEntries(
    names.map((name): [string, Scalar] => {
      const value = assigned[name] as Scalar | null | undefined
      if (value !== undefined && value !== null) return [name, value]
      const subject = `resource ${JSON.stringify(resource.name)}`
      throw new TypeError(`${subject}: assign must set ${name}, which is part of the key`)
    }),
  )
}

/** Throws 412 if the request requires an existing row. */
function assertMayCreate({ ctx }: ResourceRequest): void {
  if (parsePreconditions(ctx.incoming).match === null) return
  throw httpError('PRECONDITION_FAILED', 'no row has this key: omit If-Match to create it')
}
