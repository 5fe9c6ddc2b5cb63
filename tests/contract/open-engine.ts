import { postgresEngine } from '@sdk/database'
import { redisEngine } from '@sdk/redis'
import type { Engine, Log } from '@sdk/server'

/** The options that every engine of many processes takes. */
export interface DriverOptions {
  readonly log?: Log
  readonly keep?: number
  readonly lease?: number
  readonly timeout?: number
}

/** Opens an engine by the URL of its server. Second processes import it, so it needs no test kit. */
export function openEngine(url: string, options?: DriverOptions): Engine {
  return (url.startsWith('redis') ? redisEngine : postgresEngine)(url, options)
}
