/** A check of a dependency of the app. It throws, rejects or returns `false` if the dependency is unavailable. */
export type HealthCheck = () => unknown
