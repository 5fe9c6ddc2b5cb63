/** Says whether a part that the app needs is there: it throws, rejects or gives `false` when it is not. */
export type HealthCheck = () => unknown
