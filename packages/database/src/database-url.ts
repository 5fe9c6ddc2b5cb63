import { isInspecting } from './phase.ts'

/** Where a database lives, read from its URL. */
export type DatabaseTarget =
  | { readonly kind: 'postgres'; readonly connectionString: string }
  | { readonly kind: 'pglite'; readonly directory: string | null }

const EMBEDDED = 'pglite://.sdk/data'

/** `DATABASE_URL`, else the embedded database of the project; production must say which it wants. */
export function defaultDatabaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  if (env['DATABASE_URL']) return env['DATABASE_URL']
  if (env['NODE_ENV'] !== 'production' || isInspecting(env)) return EMBEDDED
  throw new Error(
    `In production the embedded database is never chosen silently: set DATABASE_URL=postgres://…, or ask for it with DATABASE_URL=${EMBEDDED}`,
  )
}

/** Reads `postgres://…`, `pglite://dir` or `pglite://memory`. */
export function parseDatabaseUrl(url: string): DatabaseTarget {
  if (typeof url === 'string') {
    if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return { kind: 'postgres', connectionString: url }
    if (url === 'pglite://memory') return { kind: 'pglite', directory: null }
    if (/^pglite:\/\/./.test(url)) return { kind: 'pglite', directory: url.slice('pglite://'.length) }
  }
  throw new TypeError(
    `A database URL is postgres://user:password@host/name, pglite://some/directory or pglite://memory, but got ${shown(url)}`,
  )
}

/** Enough to recognise the mistake; what follows the scheme may hold a password. */
function shown(url: unknown): string {
  if (typeof url !== 'string') return typeof url
  const scheme = /^[\w+-]+:(\/\/)?/.exec(url)?.[0]
  return scheme ? `${scheme}…` : JSON.stringify(url)
}
