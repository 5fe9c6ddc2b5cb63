import { createStore, type AuthSnapshot, type AuthSource } from '@sdk/frontend'
import type { WorkbenchUser } from '../../api.ts'

/** Whom the workbench calls as: the cookies of this browser, nobody, or a user by a session of their own. */
export type Identity =
  | { readonly kind: 'browser' }
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'user'; readonly user: WorkbenchUser; readonly token: string }

const KEY = 'workbench:identity'
const store = createStore<{ now: Identity }>({ now: readKept() })

/** The identity that calls are made with. A store, to be read with `useSyncExternalStore`. */
export const identity = {
  snapshot: (): Identity => store.get().now,
  subscribe: store.subscribe,
  use(next: Identity): void {
    // The tab's own, so that two tabs can be two people; it ends with the tab.
    sessionStorage.setItem(KEY, JSON.stringify(next))
    store.patch({ now: next })
  },
}

/** Gives the identity's token to every call and socket below an `AuthProvider`. */
export const identitySource: AuthSource = {
  snapshot: () => toSnapshot(store.get().now),
  subscribe: store.subscribe,
  token: () => Promise.resolve(toSnapshot(store.get().now).token),
  signIn: () => Promise.reject(new Error('choose a user in the header')),
  signUp: () => Promise.reject(new Error('create a user at Users')),
  signOut() {
    identity.use({ kind: 'anonymous' })
    return Promise.resolve()
  },
  close: () => {},
}

const snapshots = new WeakMap<Identity, AuthSnapshot>()

function toSnapshot(now: Identity): AuthSnapshot {
  const known = snapshots.get(now)
  if (known !== undefined) return known
  const isUser = now.kind === 'user'
  const user = isUser ? { ...now.user, emailVerified: true, image: null, updatedAt: now.user.createdAt } : null
  const made = { loading: false, user, token: isUser ? now.token : null, error: null }
  snapshots.set(now, made)
  return made
}

function readKept(): Identity {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? '') as Identity
    return ['browser', 'anonymous', 'user'].includes(kept.kind) ? kept : { kind: 'anonymous' }
  } catch {
    return { kind: 'anonymous' } // nothing was kept
  }
}
