import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { memoryEngine, type Engine, type Log } from '@sdk/server'

/** Where to look for the engine. */
export interface EngineOptions {
  /** A file of the project, whose packages count. */
  readonly from: string
  readonly log: Log
  /** @default process.env.REDIS_URL */
  readonly redisUrl?: string | undefined
}

interface RedisPackage {
  redisEngine(url: string, options: { log: Log }): Engine | Promise<Engine>
}

/** Redis where `REDIS_URL` says so and `@sdk/redis` is installed, else the memory of this process. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { from, log, redisUrl = process.env['REDIS_URL'] } = options
  if (redisUrl === undefined || redisUrl === '') return memoryEngine()
  const path = resolveRedis(from)
  if (path === null) {
    log.warn(
      'REDIS_URL is set, but @sdk/redis is not installed: this process keeps its state to itself. Run npm install @sdk/redis',
    )
    return memoryEngine()
  }
  const { redisEngine } = (await import(pathToFileURL(path).href)) as RedisPackage
  return redisEngine(redisUrl, { log })
}

function resolveRedis(from: string): string | null {
  try {
    return createRequire(from).resolve('@sdk/redis')
  } catch {
    return null // an optional package
  }
}
