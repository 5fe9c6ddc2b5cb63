// What all servers of this benchmark have in common: the route, the secret, and the user of whom they are asked.
export const databaseUrl = process.env.BENCH_DATABASE ?? ''
export const secret = 'the benchmark signs with a secret of its own'
export const status = () => ({ status: 'ok' })

/** What keeps the rest of the server the same: limits that nobody reaches, and no line a request. */
export const quiet = { rateLimit: { default: { quota: 1e9, window: 60 }, auth: { quota: 1e9, window: 60 } } }
