import type { AuthSnapshot, AuthSource, AuthUser } from './auth-source.ts'
import { createStore } from '../store/store.ts'

/** An auth source without a server. The test sets the signed-in user. */
export interface FakeAuthSource extends AuthSource {
  /** Signs a user in with this token; null signs out. */
  become(id: string | null, token?: string): void
  /** Called when a new token is requested with `force`. */
  onForce: () => void
}

export function createFakeAuthSource({ loading = false } = {}): FakeAuthSource {
  const store = createStore<AuthSnapshot>({ loading, user: null, token: null, error: null })
  const source: FakeAuthSource = {
    snapshot: store.get,
    subscribe: store.subscribe,
    async token({ force = false } = {}) {
      if (force) source.onForce()
      return store.get().token
    },
    become(id, token = `token-of-${id}`) {
      store.patch({
        loading: false,
        ...(id === null ? { user: null, token: null } : { user: { id } as AuthUser, token }),
      })
    },
    onForce: () => {},
    signIn: async () => {},
    signUp: async () => {},
    signOut: async () => {},
    close: () => {},
  }
  return source
}
