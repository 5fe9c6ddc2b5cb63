// Shared by all servers of this benchmark: the route, the secret and the user.
export const databaseUrl = process.env.BENCH_DATABASE ?? ''
export const secret = 'the benchmark signs with a secret of its own'
export const status = () => ({ status: 'ok' })

/** Settings of all servers: limits that are never reached, and no log line for each request. */
export const quiet = { rateLimit: { default: { quota: 1e9, window: 60 }, auth: { quota: 1e9, window: 60 } } }
