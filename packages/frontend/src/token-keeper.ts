/** Where a session token is kept. */
export interface TokenKeeper {
  token(): string | null
  /** Keeps another one; null forgets it. */
  keep(token: string | null): void
}

/** Keeps a token in memory; where a name is given also in `sessionStorage`, which ends with the tab. Nowhere else. */
export function createTokenKeeper(name?: string): TokenKeeper {
  const key = `sdk.session ${name}`
  let held: string | null = null
  withStorage((storage) => (held = storage.getItem(key)))
  return {
    token: () => held,
    keep(token) {
      held = token
      withStorage((storage) => (token === null ? storage.removeItem(key) : storage.setItem(key, token)))
    },
  }

  function withStorage(act: (storage: Storage) => void): void {
    try {
      if (name) act(globalThis.sessionStorage)
    } catch {
      // A page may be forbidden to store, and a server has nothing to store in: then memory has to do.
    }
  }
}
