import { reportEnvError } from '@sdk/server'
import { isInspecting } from './is-inspecting.ts'

/** The location of a database, parsed from its URL. */
export type DatabaseTarget =
  | { readonly kind: 'postgres'; readonly connectionString: string }
  | { readonly kind: 'pglite'; readonly directory: string | null }

const EMBEDDED_URL = 'pglite://.sdk/data'

/** A placeholder for a missing URL while other settings are checked. It is never used to connect. */
const PLACEHOLDER_URL = 'postgres://missing.invalid/'

/** Returns `DATABASE_URL`, or the URL of the project's embedded database. In production, the variable is required. */
export function defaultDatabaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  const url = env['DATABASE_URL']
  if (url) return isDatabaseUrl(url) ? url : refuseDatabaseUrl(`must be a database URL, got ${redactUrl(url)}`)
  return env['NODE_ENV'] === 'production' && !isInspecting(env) ? refuseDatabaseUrl('is not set') : EMBEDDED_URL
}

function refuseDatabaseUrl(problem: string): string {
  const purpose = "it selects the app's database"
  const example = `DATABASE_URL=postgres://user:password@host:5432/name, or ${EMBEDDED_URL} for the embedded database`
  return reportEnvError({ name: 'DATABASE_URL', problem: problem, purpose, example }, PLACEHOLDER_URL)
}

/** Parses `postgres://…`, `pglite://dir` or `pglite://memory`. */
export function parseDatabaseUrl(url: string): DatabaseTarget {
  if (!isDatabaseUrl(url))
    throw new TypeError(
      `A database URL must have the form postgres://user:password@host/name, pglite://some/directory or pglite://memory, got ${redactUrl(url)}`,
    )
  if (url.startsWith('postgres')) return { kind: 'postgres', connectionString: url }
  return { kind: 'pglite', directory: url === 'pglite://memory' ? null : url.slice('pglite://'.length) }
}

function isDatabaseUrl(url: unknown): url is string {
  if (typeof url !== 'string') return false
  return /^pglite:\/\/./.test(url) || (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url))
}

/** Returns only the scheme of a URL, since the rest may contain a password. `docker --env-file` keeps quotes. */
function redactUrl(url: unknown): string {
  if (typeof url !== 'string') return typeof url
  const scheme = /^\s*["'`]?[\w+-]+:(\/\/)?/.exec(url)?.[0]
  if (scheme) return `${scheme}…`
  return /[:@/]/.test(url) ? 'a value without a scheme' : JSON.stringify(url)
}
