import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { memoryEngine, type Engine, type Log } from '@sdk/server'

/** Where to look for the engine. */
export interface EngineFromEnvOptions {
  /** A file of the project: packages are looked for from here. */
  readonly from: string
  readonly log: Log
  /** How many processes serve the app; undefined where it is not known. */
  readonly instances: number | undefined
  /** Variables with the URLs of the servers: `REDIS_URL` and `DATABASE_URL`. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>
}

const REDIS = { variable: 'REDIS_URL', name: '@sdk/redis', create: 'redisEngine' }
const POSTGRES = { variable: 'DATABASE_URL', name: '@sdk/database', create: 'postgresEngine' }

/**
 * Redis where `REDIS_URL` is set; else PostgreSQL where `DATABASE_URL` is one and there may be other processes; else the
 * memory of this one.
 */
export async function openEngineFromEnv(options: EngineFromEnvOptions): Promise<Engine> {
  const { from, log, instances, env = process.env } = options
  const { REDIS_URL: redis = '', DATABASE_URL: database = '' } = env
  if (redis !== '') return openPackage(REDIS, redis, options)
  // A project may use PostgreSQL without our package. Then the package is missed only where `instances` needs it.
  const shouldShare = instances === undefined ? resolvePackage(POSTGRES.name, from) !== null : instances > 1
  if (/^postgres(?:ql)?:/.test(database) && shouldShare) return openPackage(POSTGRES, database, options)
  return memoryEngine({ log })
}

async function openPackage(
  { variable, name, create }: typeof REDIS,
  url: string,
  { from, log }: EngineFromEnvOptions,
): Promise<Engine> {
  const path = resolvePackage(name, from)
  if (path === null) {
    log.warn(
      `${variable} is set, but ${name} is not installed: this process keeps its state to itself. Run npm install ${name}`,
    )
    return memoryEngine({ log })
  }
  const loaded: unknown = await import(pathToFileURL(path).href)
  const open = (loaded as Record<string, (url: string, options: { log: Log }) => Engine>)[create]
  if (open === undefined)
    throw new Error(`${name} has no ${create}: its version does not fit. Install all @sdk packages in the same version`)
  return open(url, { log })
}

function resolvePackage(name: string, from: string): string | null {
  try {
    return createRequire(from).resolve(name)
  } catch {
    return null // an optional package
  }
}
