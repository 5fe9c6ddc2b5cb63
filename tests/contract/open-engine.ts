import { postgresEngine } from '@sdk/database'
import { redisEngine } from '@sdk/redis'
import type { Engine, Log } from '@sdk/server'

/** Options for every engine that several processes share. */
export interface DriverOptions {
  readonly log?: Log
  readonly keep?: number
  readonly lease?: number
  readonly timeout?: number
}

/** Opens an engine by the URL of its server. Child processes import this file, so it must not use the test kit. */
export function openEngine(url: string, options?: DriverOptions): Engine {
  return (url.startsWith('redis') ? redisEngine : postgresEngine)(url, options)
}
