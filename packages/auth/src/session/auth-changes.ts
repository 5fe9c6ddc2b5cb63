import { createHmac } from 'node:crypto'
import type { AttachedApps } from '../attached-apps.ts'
import type { SessionCache } from './session-cache.ts'

/** A change to sessions or users that every process must apply. */
export interface AuthChange {
  /** The ids of sessions that have ended. */
  readonly ended?: readonly string[]
  /** The ids of users and sessions that have changed. */
  readonly changed?: readonly string[]
}

/** A publisher that sends changes to all processes. */
export interface AuthChanges {
  /** Applies a change in this process immediately, and publishes it to the others. */
  add(change: AuthChange): void
  /** Resolves when all changes have been published, or publishing has failed or timed out. */
  published(): Promise<void>
}

/** The maximum time in ms that a sign-out waits for its change to be published. */
const PUBLISH_TIMEOUT_MS = 1_000

/** Creates a publisher for the processes that share an engine and a secret. */
export function createAuthChanges(
  apps: Pick<AttachedApps, 'endSessions' | 'publish' | 'recheck' | 'subscribe'>,
  cache: SessionCache,
  secret: string,
): AuthChanges {
  // The name must be hard to guess: rooms are streams too, and some apps let clients choose room names.
  const stream = `sdk auth ${createHmac('sha256', secret).update('sdk auth changes').digest('base64url').slice(0, 22)}`
  let pending: Required<AuthChange> | null = null
  let publishing: Promise<void> = Promise.resolve()

  function apply({ ended = [], changed = [] }: AuthChange): void {
    cache.clear(new Set([...ended, ...changed]))
    if (ended.length > 0) apps.endSessions(ended)
    if (changed.length > 0) apps.recheck(changed)
  }

  async function publish(): Promise<void> {
    await new Promise(setImmediate)
    const change = pending
    pending = null
    await apps.publish(stream, JSON.stringify(change))
  }

  apps.subscribe(stream, (text) => apply(JSON.parse(text) as AuthChange))
  return {
    add(change) {
      apply(change)
      const isFirst = pending === null
      pending = {
        ended: [...(pending?.ended ?? []), ...(change.ended ?? [])],
        changed: [...(pending?.changed ?? []), ...(change.changed ?? [])],
      }
      // The timeout prevents a hanging engine from blocking later changes.
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
