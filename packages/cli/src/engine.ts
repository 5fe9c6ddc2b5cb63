import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { memoryEngine, type Engine, type Log } from '@sdk/server'
import { Failure } from './failure.ts'
import { toAddCommand } from './package-manager.ts'

/** Options for `openEngineFromEnv`. */
export interface EngineFromEnvOptions {
  /** A file in the project, from which packages are resolved. */
  readonly from: string
  readonly log: Log
  /** The number of processes that serve the app, or undefined if it is unknown. */
  readonly instances: number | undefined
  /** Whether a missing package is an error, because the processes must share state. @default false */
  readonly isRequired?: boolean
  /** The environment, which may contain `REDIS_URL` and `DATABASE_URL`. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>
}

const REDIS = { variable: 'REDIS_URL', name: '@sdk/redis', create: 'redisEngine' }
const POSTGRES = { variable: 'DATABASE_URL', name: '@sdk/database', create: 'postgresEngine' }

/**
 * Opens a Redis engine if `REDIS_URL` is set, or a PostgreSQL engine if `DATABASE_URL` points to PostgreSQL and there
 * may be other processes. Otherwise, opens an in-memory engine.
 */
export async function openEngineFromEnv(options: EngineFromEnvOptions): Promise<Engine> {
  const { from, log, instances, env = process.env } = options
  const { REDIS_URL: redis = '', DATABASE_URL: database = '' } = env
  if (redis !== '') return openPackage(REDIS, redis, options)
  // A project can use PostgreSQL without `@sdk/database`, which is then required only if `instances` is greater than 1.
  const shouldShare = instances === undefined ? resolvePackage(POSTGRES.name, from) !== null : instances > 1
  if (/^postgres(?:ql)?:/.test(database) && shouldShare) return openPackage(POSTGRES, database, options)
  return memoryEngine({ log })
}

async function openPackage(
  { variable, name, create }: typeof REDIS,
  url: string,
  { from, log, isRequired }: EngineFromEnvOptions,
): Promise<Engine> {
  const path = resolvePackage(name, from)
  if (path === null) {
    const installing = toAddCommand(name, from)
    if (isRequired === true) {
      const fix = `install it: ${installing}`
      throw new Failure(`several workers need ${name} to share ${variable}`, { code: 'WORKERS_NOT_SHARED', fix })
    }
    log.warn(`${variable} is set, but ${name} is not installed: this process does not share state. Run ${installing}`)
    return memoryEngine({ log })
  }
  const loaded: unknown = await import(pathToFileURL(path).href)
  const open = (loaded as Record<string, (url: string, options: { log: Log }) => Engine>)[create]
  if (open === undefined)
    throw new Error(
      `${name} does not export ${create}: its version is incompatible. Install the same version of all @sdk packages`,
    )
  return open(url, { log })
}

/** Returns the path of a package, resolved from a file, or null if it is not installed. */
export function resolvePackage(name: string, from: string): string | null {
  try {
    return createRequire(from).resolve(name)
  } catch {
    return null // the package is optional
  }
}
