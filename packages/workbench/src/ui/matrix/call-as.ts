import { createHttpClient, toApiError } from '@sdk/frontend'
import { createIdentitySource, createIdentityStore, type Identity } from '../data/identity.ts'
import type { CallInput } from '../input/call-input.ts'
import { toRequestBody } from '../runner/runner-call.ts'
import type { Outcome } from './matrix-run.ts'

/** A call of a public route, by somebody. */
export interface CallAs {
  readonly route: string
  readonly input: CallInput
  readonly who: Identity
  readonly requestId: string
  readonly signal: AbortSignal
}

/** Calls a route as any client would, with the token of a user, the cookies of this browser, or nothing. */
export async function callAs({ route, input, who, requestId, signal }: CallAs): Promise<Outcome> {
  let status = 0
  const client = createHttpClient({
    retry: false,
    credentials: who.kind === 'browser' ? 'same-origin' : 'omit',
    auth: who.kind === 'user' ? createIdentitySource(createIdentityStore({ start: who })) : undefined,
    async fetch(address, init) {
      const response = await fetch(address, init)
      status = response.status
      return response
    },
  })
  const { params, query } = input
  const headers = { ...Object.fromEntries(input.headers), 'x-request-id': requestId, 'x-sdk-caller': 'workbench' }
  const start = performance.now()
  try {
    const reply = await client.send(route, toRequestBody(route, input), { params, query, headers, signal })
    const output = reply.kind === 'value' ? await readable(reply.value) : await reply.collect()
    return { state: 'done', status, ms: performance.now() - start, output, error: null }
  } catch (thrown) {
    const ms = performance.now() - start
    if (signal.aborted) return { state: 'cancelled', status: 0, ms, output: undefined, error: null }
    return { state: 'failed', status, ms, output: undefined, error: toApiError(thrown) }
  }
}

/** An answer that is not JSON is a blob; its text can be compared. */
async function readable(value: unknown): Promise<unknown> {
  return value instanceof Blob ? value.text() : value
}
