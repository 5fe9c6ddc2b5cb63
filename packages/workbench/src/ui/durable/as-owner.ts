import { fromEnvelope } from '@sdk/protocol'
import type { InspectedRun } from '../../api.ts'
import { createIdentityStore, endSessionOf, signInAs, type Identity } from '../data/identity.ts'

/** A request to a route of the app. */
export interface OwnerRequest {
  /** The body as JSON. @default none */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Sends a request to a route of the app as the owner of a run, since only the owner may cancel it. Opens a session of
 * the owner for this request. Throws an `ApiError` if the response is not successful.
 */
export async function sendAsOwner(
  { userId }: Pick<InspectedRun, 'userId'>,
  route: string,
  { body, headers = {} }: OwnerRequest = {},
): Promise<Response> {
  const start: Identity = userId === null ? { kind: 'anonymous' } : await signInAs(userId)
  const owner = createIdentityStore({ start })
  try {
    const [method = '', path = ''] = route.split(' ')
    const response = await fetch(new URL(path, location.href), {
      method,
      credentials: 'omit',
      headers: {
        'x-sdk-caller': 'workbench',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(start.kind === 'user' && { authorization: `Bearer ${start.token}` }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    })
    if (response.ok) return response
    throw fromEnvelope(await response.json().catch(() => null), { status: response.status })
  } finally {
    await endSessionOf(owner)
  }
}
