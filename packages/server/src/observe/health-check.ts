/**
 * A check for one of the app's dependencies. It throws, rejects or returns `false` if the dependency is unavailable.
 */
export type HealthCheck = () => unknown
