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

interface EnginePackage {
  readonly variable: string
  readonly name: string
  readonly create: string
}

const REDIS: EnginePackage = { variable: 'REDIS_URL', name: '@sdk/redis', create: 'redisEngine' }
const POSTGRES: EnginePackage = { variable: 'DATABASE_URL', name: '@sdk/database', create: 'postgresEngine' }

/**
 * Redis where `REDIS_URL` is set; else PostgreSQL where `DATABASE_URL` is one and there may be other processes; else the
 * memory of this one.
 */
export async function openEngineFromEnv({
  from,
  log,
  instances,
  env = process.env,
}: EngineFromEnvOptions): Promise<Engine> {
  const { REDIS_URL: redis = '', DATABASE_URL: database = '' } = env
  if (redis !== '') return openPackage(REDIS, redis, { from, log })
  // A project may use PostgreSQL without our package. Then the package is missed only where `instances` needs it.
  const shouldShare = instances === undefined ? resolvePackage(POSTGRES.name, from) !== null : instances > 1
  if (/^postgres(?:ql)?:/.test(database) && shouldShare) return openPackage(POSTGRES, database, { from, log })
  return memoryEngine({ log })
}

async function openPackage(
  driver: EnginePackage,
  url: string,
  { from, log }: Pick<EngineFromEnvOptions, 'from' | 'log'>,
): Promise<Engine> {
  const { variable, name, create } = driver
  const path = resolvePackage(name, from)
  if (path === null) {
    log.warn(
      `${variable} is set, but ${name} is not installed: this process keeps its state to itself. Run npm install ${name}`,
    )
    return memoryEngine({ log })
  }
  const loaded = (await import(pathToFileURL(path).href)) as Record<
    string,
    (url: string, options: { log: Log }) => Engine
  >
  const open = loaded[create]
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
