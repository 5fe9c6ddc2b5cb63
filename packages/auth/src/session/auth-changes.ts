import { createHmac } from 'node:crypto'
import type { Hosts } from '../attached-apps.ts'
import type { SessionCache } from './session-cache.ts'

/** What became of sessions and users: what every process must know at once. */
export interface Change {
  /** The ids of sessions that are over. */
  readonly ended?: readonly string[]
  /** The ids of users and sessions that are not what they were. */
  readonly changed?: readonly string[]
}

/** Makes changes known. */
export interface Changes {
  /** Something changed: this process acts on it now, the others as soon as they hear of it. */
  add(change: Change): void
  /** Settles when the others were told, or cannot be. */
  told(): Promise<void>
}

/** What changes work with. */
export interface ChangesParts {
  readonly hosts: Pick<Hosts, 'end' | 'tell' | 'listen'>
  readonly cache: SessionCache
  readonly secret: string
}

/** How long somebody who signs out waits for the other processes to be told, in ms. */
const PATIENCE = 1_000

/** Changes of all processes that share an engine and a secret. */
export function createChanges({ hosts, cache, secret }: ChangesParts): Changes {
  // A name that nobody can guess: rooms are streams too, and some let clients choose their names.
  const stream = `sdk auth ${createHmac('sha256', secret).update('sdk auth changes').digest('base64url').slice(0, 22)}`
  let pending: Required<Change> | null = null
  let telling: Promise<void> = Promise.resolve()

  function act({ ended = [], changed = [] }: Change): void {
    cache.clear(new Set([...ended, ...changed]))
    if (ended.length > 0) hosts.end(ended)
  }

  /** What changes in one go is told in one go. */
  async function tell(): Promise<void> {
    await new Promise(setImmediate)
    const change = pending
    pending = null
    await hosts.tell(stream, JSON.stringify(change))
  }

  hosts.listen(stream, (text) => act(JSON.parse(text) as Change))
  return {
    add(change) {
      act(change)
      const isFirst = pending === null
      pending = {
        ended: [...(pending?.ended ?? []), ...(change.ended ?? [])],
        changed: [...(pending?.changed ?? []), ...(change.changed ?? [])],
      }
      // An engine that hangs must not keep it from hearing of later changes.
      if (isFirst) telling = telling.then(() => within(tell(), PATIENCE))
    },
    told: () => within(telling, PATIENCE),
  }
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))])
  clearTimeout(timer)
}
