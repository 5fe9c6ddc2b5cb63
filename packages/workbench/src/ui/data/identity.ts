import { createHttpClient, createStore, type AuthSnapshot, type AuthSource, type HttpClient } from '@sdk/frontend'
import { useSyncExternalStore } from 'react'
import { fetchWorkbench } from './nonce.ts'
import { readStored } from '../components/stored-value.ts'
import type { WorkbenchUser } from '../../api.ts'

/** The identity used for calls: this browser with its cookies, anonymous, or a chosen user with a new session. */
export type Identity =
  | { readonly kind: 'browser' }
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'user'; readonly user: WorkbenchUser; readonly token: string }

/** A store that contains an identity. */
export type IdentityStore = ReturnType<typeof createIdentityStore>

const IDENTITY_KEY = 'workbench:identity'

/** The identity used for calls, which is chosen in the header. */
export const identity: IdentityStore = createIdentityStore({
  start: readStoredIdentity(),
  // Kept in `sessionStorage`, so that two tabs can have different identities.
  keep: (next) => sessionStorage.setItem(IDENTITY_KEY, JSON.stringify(next)),
})

/** The source of the identity's token for every call and socket inside an `AuthProvider`. */
export const identitySource: AuthSource = createIdentitySource(identity)

/** Returns the identity chosen in the header, and re-renders when it changes. */
export function useChosenIdentity(): Identity {
  return useSyncExternalStore(identity.subscribe, identity.snapshot)
}

/** Opens a real session for a user and returns it as an identity. */
export async function signInAs(userId: string): Promise<Identity> {
  const { user, token } = await ownApi().call('POST /_workbench/api/sessions', { userId })
  return { kind: 'user', user, token }
}

/** Ends the chosen user's session. Calls are anonymous afterwards. */
export async function endSessionOf(who: IdentityStore): Promise<void> {
  const now = who.snapshot()
  if (now.kind === 'user') await ownApi().call('POST /_workbench/api/sessions/end', { token: now.token })
  if (who.snapshot() === now) who.use({ kind: 'anonymous' })
}

function ownApi(): HttpClient {
  return createHttpClient({ retry: false, fetch: fetchWorkbench })
}

/** Creates a store for an identity. `keep` persists each change. */
export function createIdentityStore({ start, keep }: { start: Identity; keep?: (next: Identity) => void }) {
  const store = createStore<{ now: Identity }>({ now: start })
  return {
    snapshot: (): Identity => store.get().now,
    subscribe: store.subscribe,
    use(next: Identity): void {
      keep?.(next)
      store.patch({ now: next })
    },
  }
}

/** Creates an `AuthSource` from an identity. If its token is rejected, a new session is opened for the same user. */
export function createIdentitySource(who: IdentityStore): AuthSource {
  const snapshots = new WeakMap<Identity, AuthSnapshot>()
  let renewing: Promise<void> | null = null
  const snapshot = (): AuthSnapshot => {
    const now = who.snapshot()
    const known = snapshots.get(now) ?? toSnapshot(now)
    snapshots.set(now, known)
    return known
  }
  return {
    snapshot,
    subscribe: who.subscribe,
    async token({ force = false } = {}) {
      if (force) await (renewing ??= renew(who).finally(() => (renewing = null)))
      return snapshot().token
    },
    signIn: () => Promise.reject(new Error('signIn is not supported here: choose a user in the header')),
    signUp: () => Promise.reject(new Error('signUp is not supported here: create a user on the Users page')),
    signOut: () => endSessionOf(who),
    close: () => {},
  }
}

async function renew(who: IdentityStore): Promise<void> {
  const before = who.snapshot()
  if (before.kind !== 'user') return
  // If no session can be opened, for example for a deleted user, the old token is kept and its rejection is shown.
  const next = await signInAs(before.user.id).catch(() => before)
  if (who.snapshot() === before) who.use(next)
}

function toSnapshot(now: Identity): AuthSnapshot {
  const isUser = now.kind === 'user'
  const user = isUser ? { ...now.user, emailVerified: true, image: null, updatedAt: now.user.createdAt } : null
  return { loading: false, user, token: isUser ? now.token : null, error: null }
}

function readStoredIdentity(): Identity {
  const stored = readStored(IDENTITY_KEY, () => sessionStorage) as Identity | null | undefined
  return stored && ['browser', 'anonymous', 'user'].includes(stored.kind) ? stored : { kind: 'anonymous' }
}
