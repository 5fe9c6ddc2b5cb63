/** The other processes that serve an app at the same address. */
export interface ProcessPool {
  /** Whether `ready` leaves out the `onStart` hooks, which `app['~starts'].start()` runs later. */
  readonly startsLater: boolean
  /** The sockets that are open at the other processes. */
  readonly connections: {
    /** Returns the number of connections of an address or a user. */
    count(key: string): number
    /** Reports a connection that this process opened or closed. */
    add(key: string, difference: 1 | -1): void
  }
}
