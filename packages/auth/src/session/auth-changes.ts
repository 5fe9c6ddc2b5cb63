import { createHmac } from 'node:crypto'
import type { AttachedApps } from '../attached-apps.ts'
import type { SessionCache } from './session-cache.ts'

/** What became of sessions and users: what every process must know at once. */
export interface AuthChange {
  /** The ids of sessions that are over. */
  readonly ended?: readonly string[]
  /** The ids of users and sessions that are not what they were. */
  readonly changed?: readonly string[]
}

/** Makes changes known. */
export interface AuthChanges {
  /** Something changed: this process acts on it now, the others as soon as they hear of it. */
  add(change: AuthChange): void
  /** Settles when the others were told, or cannot be. */
  published(): Promise<void>
}

/** What changes work with. */
export interface AuthChangesOptions {
  readonly apps: Pick<AttachedApps, 'endSessions' | 'publish' | 'subscribe'>
  readonly cache: SessionCache
  readonly secret: string
}

/** How long somebody who signs out waits for the other processes to be told, in ms. */
const PUBLISH_TIMEOUT_MS = 1_000

/** Changes of all processes that share an engine and a secret. */
export function createAuthChanges({ apps: hosts, cache, secret }: AuthChangesOptions): AuthChanges {
  // A name that nobody can guess: rooms are streams too, and some let clients choose their names.
  const stream = `sdk auth ${createHmac('sha256', secret).update('sdk auth changes').digest('base64url').slice(0, 22)}`
  let pending: Required<AuthChange> | null = null
  let publishing: Promise<void> = Promise.resolve()

  function apply({ ended = [], changed = [] }: AuthChange): void {
    cache.clear(new Set([...ended, ...changed]))
    if (ended.length > 0) hosts.endSessions(ended)
  }

  /** What changes in one go is told in one go. */
  async function publish(): Promise<void> {
    await new Promise(setImmediate)
    const change = pending
    pending = null
    await hosts.publish(stream, JSON.stringify(change))
  }

  hosts.subscribe(stream, (text) => apply(JSON.parse(text) as AuthChange))
  return {
    add(change) {
      apply(change)
      const isFirst = pending === null
      pending = {
        ended: [...(pending?.ended ?? []), ...(change.ended ?? [])],
        changed: [...(pending?.changed ?? []), ...(change.changed ?? [])],
      }
      // An engine that hangs must not keep it from hearing of later changes.
      if (isFirst) publishing = publishing.then(() => waitAtMost(publish(), PUBLISH_TIMEOUT_MS))
    },
    published: () => waitAtMost(publishing, PUBLISH_TIMEOUT_MS),
  }
}

async function waitAtMost(work: Promise<void>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))])
  clearTimeout(timer)
}
