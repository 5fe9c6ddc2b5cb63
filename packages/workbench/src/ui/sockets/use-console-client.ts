import { useEffect, useState } from 'react'
import {
  createIdentitySource,
  createIdentityStore,
  identitySource,
  useChosenIdentity,
  type Identity,
} from '../data/identity.ts'
import { createConsoleClient, type ConsoleClient, type ConsoleMode } from './console-client.ts'

/** Where a client of the console connects to, and as whom. */
export interface ConsoleTarget {
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly mode: ConsoleMode
  /** `header`: the identity in the header, also when it changes. */
  readonly who: Identity | 'header'
}

/** A client that lives as long as its component; replaced when its target or its user changes. Null at first. */
export function useConsoleClient(target: ConsoleTarget): { client: ConsoleClient | null; reconnect: () => void } {
  const chosen = useChosenIdentity()
  const { who } = target
  const [client, setClient] = useState<ConsoleClient | null>(null)
  const [round, setRound] = useState(0)
  // By the user's id: a new token of the same user needs no new client.
  const key = JSON.stringify({ ...target, who: identityKey(who === 'header' ? chosen : who), isOwn: who !== 'header' })
  useEffect(() => {
    const auth = who === 'header' ? identitySource : createIdentitySource(createIdentityStore({ start: who }))
    const made = createConsoleClient({ ...(JSON.parse(key) as ConsoleTarget), auth })
    setClient(made)
    return () => made.close()
    // oxlint-disable-next-line react/exhaustive-deps -- the key says which user it is
  }, [key, round])
  return { client, reconnect: () => setRound(round + 1) }
}

function identityKey(who: Identity): string {
  return who.kind === 'user' ? who.user.id : who.kind
}
