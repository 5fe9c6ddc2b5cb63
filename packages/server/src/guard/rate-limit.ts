import type { RequestAuth } from '../auth/identity.ts'
import { toPolicyHeader, type ApiError, type RatePolicy } from '@sdk/protocol'
import { addressKey, clientAddress, createTrust, plainAddress } from '../http/client-address.ts'
import type { ServerRequest } from '../http/server-request.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { Engine } from '../engine/engine.ts'
import type { Quota, RateDecision } from '../engine/gcra.ts'
import { errorFields, type Log } from '../log/log.ts'
import { throttleLog } from '../log/throttle-log.ts'
import type { MaybePromise } from '../platform/and-then.ts'
import { memoryEngine } from '../engine/memory-engine.ts'
import { httpError } from '../http/http-error.ts'

/** The name of a rate limit policy. */
export type PolicyName = 'default' | 'agent' | 'auth'

/** The quota for each policy, or `false` to disable the policy. Omitted policies keep their defaults. */
export type RateLimits = Partial<Record<PolicyName, Quota | false>>

const DEFAULT_QUOTAS: Readonly<Record<PolicyName, Quota>> = {
  default: { quota: 600, window: 60 },
  agent: { quota: 120, window: 60 },
  auth: { quota: 20, window: 60 },
}

const POLICY_NAMES = Object.keys(DEFAULT_QUOTAS) as PolicyName[]

/** The policies that apply to a route, and their `RateLimit-Policy` header line, which all of its replies have. */
export interface PolicySet {
  readonly line: string
  readonly policies: readonly RatePolicy[]
}

/** The rate limit keys: users are counted by id, other clients by address, and sign-in attempts always by address. */
export interface RateLimitKeys {
  readonly rateLimitKey: string
  /** The client's address, or its network for IPv6. */
  readonly networkKey: string
  readonly address: string
}

/** Creates a function that returns a request's keys. Behind a trusted proxy, it uses the forwarded address. */
export function createRateLimitKeys(
  trustedProxies: readonly string[],
): (call: ServerRequest, auth: RequestAuth | null) => RateLimitKeys {
  const isTrusted = trustedProxies.length === 0 ? null : createTrust(trustedProxies)
  return (call, auth) => {
    const forwarded = isTrusted === null ? null : call.header('x-forwarded-for')
    const peer = plainAddress(isTrusted === null ? call.ip : clientAddress(call.ip, forwarded, isTrusted))
    const address = addressKey(peer)
    return { networkKey: address, address: peer, rateLimitKey: auth === null ? address : `user ${auth.session.userId}` }
  }
}

/** The `RateLimit` header line, and the error if a limit is exceeded. */
type RateLimitResult = MaybePromise<{ line: string; error: ApiError | null }>

type LimitedEndpoint = Pick<Endpoint, 'kind' | 'method' | 'definition'>

interface TakeProgress {
  readonly set: PolicySet
  readonly keys: RateLimitKeys
  at: number
  states: string
  error: ApiError | null
}

/** A limiter that counts requests against the policies that apply to them. */
export interface RateLimiter {
  /** Returns the policies for an endpoint at a path, or for sockets. Returns null if no policy applies. */
  policiesOf(endpoint: LimitedEndpoint | 'socket', path?: string): PolicySet | null
  take(set: PolicySet, counted: RateLimitKeys): RateLimitResult
  /**
   * Returns the error for an address that is currently blocked, or null if it is not blocked. Called before credentials
   * are checked, because checking them costs more. See `block`.
   */
  findBlock(address: string): ApiError | null
  /** Blocks an address that exceeds its limit with invalid credentials, so that further credentials are not checked. */
  block(address: string, refusal: ApiError): void
  /** Refunds the cost of a 304 response. Such responses are free up to a limit. */
  refund(set: PolicySet, counted: RateLimitKeys): void
}

const MAX_BLOCKED = 10_000

/** The number of free 304 responses per process, as a multiple of the quota. Further 304 responses are counted. */
const FREE_NOT_MODIFIED_FACTOR = 10

/** Creates a rate limiter that uses an engine. It has no policies if `limits` is false. */
export function createRateLimiter(limits: RateLimits | false, engine: Engine, log: Log): RateLimiter {
  const outages = throttleLog(log)
  const known = limits === false ? [] : toPolicies(limits)
  const sets = new Map(POLICY_NAMES.map((extra) => [extra, toPolicySet(known, extra)]))
  const local = memoryEngine({ log })
  const refused = new Map<string, { refusal: ApiError; until: number }>()

  return {
    policiesOf(endpoint, path = '') {
      const extra = endpoint === 'socket' ? 'default' : policyOf(endpoint, path)
      return extra === null ? null : (sets.get(extra) ?? null)
    },
    take: (set, counted) => takeAll({ set, keys: counted, at: 0, states: '', error: null }),
    findBlock(address) {
      const spent = refused.get(address)
      if (spent === undefined || spent.until > Date.now()) return spent?.refusal ?? null
      refused.delete(address)
      return null
    },
    block(address, refusal) {
      // The small sign-in quota never blocks an address, since one client could lock out all others that share it.
      if (refusal.details[0]?.policy === 'auth') return
      // This many blocked addresses indicate an attack. Clearing the map is safe, since requests are still counted.
      if (refused.size >= MAX_BLOCKED) refused.clear()
      refused.set(address, { refusal, until: Date.now() + (refusal.retryAfter ?? 1) * 1000 })
    },
    refund(set, counted) {
      for (const policy of set.policies) {
        // 304 responses still have a cost, so only a limited number of them are free.
        const free = { ...policy, name: `${policy.name} unchanged`, quota: policy.quota * FREE_NOT_MODIFIED_FACTOR }
        if (local.take(counted.rateLimitKey, 1, free).allowed) void takeOne(policy, counted, -1)
      }
    },
  }

  /**
   * Counts a request against each policy in order. Once a quota is exceeded, the remaining policies are only read.
   * `said` is the engine's asynchronous decision on the current policy.
   */
  function takeAll(run: TakeProgress, said?: RateDecision): RateLimitResult {
    const { policies } = run.set
    for (let policy = policies[run.at]; policy !== undefined; policy = policies[++run.at]) {
      const decision = said ?? takeOne(policy, run.keys, run.error === null ? 1 : 0)
      if (decision instanceof Promise) return decision.then((later) => takeAll(run, later))
      said = undefined
      const { allowed, remaining, reset } = decision
      run.states += `${run.at === 0 ? 'ratelimit: ' : ', '}"${policy.name}";r=${remaining};t=${reset}`
      if (!allowed) run.error ??= quotaExceeded(policy, reset)
    }
    return { line: `${run.states}\r\n`, error: run.error }
  }

  function takeOne(policy: RatePolicy, keys: RateLimitKeys, cost: number): MaybePromise<RateDecision> {
    const key = policy.name === 'auth' ? keys.networkKey : keys.rateLimitKey
    try {
      const decision = engine.take?.(key, cost, policy) ?? local.take(key, cost, policy)
      return decision instanceof Promise ? decision.catch((error) => withoutEngine(error, key, policy)) : decision
    } catch (error) {
      return withoutEngine(error, key, policy)
    }
  }

  /** Decides without the engine, so that an outage does not stop the service. Sign-ins are limited per process. */
  function withoutEngine(error: unknown, key: string, policy: RatePolicy): RateDecision {
    outages.warn(
      'the engine is unavailable: only sign-ins are rate limited, separately in each process',
      errorFields(error),
    )
    return policy.name === 'auth' ? local.take(key, 1, policy) : { allowed: true, remaining: policy.quota, reset: 1 }
  }
}

function policyOf({ kind, method, definition }: LimitedEndpoint, path: string): PolicyName | null {
  if (kind === 'system') return null
  if (kind === 'agent') return 'agent'
  const isAuth = 'rateLimit' in definition && definition.rateLimit === 'auth' && method === 'POST'
  return isAuth && definition.isAttempt?.(path) !== false ? 'auth' : 'default'
}

function toPolicies(limits: RateLimits): RatePolicy[] {
  return POLICY_NAMES.flatMap((name) => {
    const quota = limits[name] ?? DEFAULT_QUOTAS[name]
    if (quota === false) return []
    if (!(quota.quota >= 1) || !(quota.window > 0))
      throw new TypeError(
        `rateLimit.${name} must have a quota of at least 1 and a window above 0, got ${JSON.stringify(quota)}`,
      )
    return [{ name, ...quota }]
  })
}

function toPolicySet(known: readonly RatePolicy[], extra: PolicyName): PolicySet | null {
  const policies = known.filter(({ name }) => name === 'default' || name === extra)
  return policies.length === 0 ? null : { policies, line: `ratelimit-policy: ${toPolicyHeader(policies)}\r\n` }
}

function quotaExceeded({ name, quota, window }: RatePolicy, reset: number): ApiError {
  const requests = quota === 1 ? 'request' : 'requests'
  return httpError('TOO_MANY_REQUESTS', `more than ${quota} ${requests} in ${window} s; try again in ${reset} s`, {
    retryAfter: reset,
    details: [{ code: 'QUOTA_EXCEEDED', message: `rate limit ${JSON.stringify(name)} exceeded`, policy: name }],
  })
}
