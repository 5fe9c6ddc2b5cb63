import { postgresEngine } from '@sdk/database'
import { redisEngine } from '@sdk/redis'
import type { Engine, Log } from '@sdk/server'
import { hasPostgres, hasRedis, type Service, startPostgres, startRedis } from '@sdk/test-kit'

/** What an engine of many processes can be told, whichever it is. */
export interface DriverOptions {
  readonly log?: Log
  readonly keep?: number
  readonly lease?: number
  readonly timeout?: number
}

/** An engine over a server that tests start, freeze and kill. */
export interface Driver {
  readonly name: string
  start(): Promise<Service>
  open(url: string, options?: DriverOptions): Engine
}

const POSTGRES: Driver = { name: 'postgresEngine', start: startPostgres, open: postgresEngine }
const REDIS: Driver = { name: 'redisEngine', start: startRedis, open: redisEngine }

/** The engines that join processes and whose server is on this machine; the test command says what is missing. */
export const DRIVERS: readonly Driver[] = [...(hasPostgres() ? [POSTGRES] : []), ...(hasRedis() ? [REDIS] : [])]

/** An engine by the URL of its server. */
export function openEngine(url: string, options?: DriverOptions): Engine {
  return (url.startsWith('redis') ? redisEngine : postgresEngine)(url, options)
}
