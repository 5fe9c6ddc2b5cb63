import { postgresEngine } from '@sdk/database'
import { redisEngine } from '@sdk/redis'
import type { Engine } from '@sdk/server'
import { hasPostgres, hasRedis, type Service, startPostgres, startRedis } from '@sdk/test-kit'
import type { DriverOptions } from './open-engine.ts'

/** An engine on a server that tests start, freeze and kill. */
export interface Driver {
  readonly name: string
  start(): Promise<Service>
  open(url: string, options?: DriverOptions): Engine
}

const POSTGRES: Driver = { name: 'postgresEngine', start: startPostgres, open: postgresEngine }
const REDIS: Driver = { name: 'redisEngine', start: startRedis, open: redisEngine }

/** The engines for several processes whose server is installed; the test command lists the missing ones. */
export const DRIVERS: readonly Driver[] = [...(hasPostgres() ? [POSTGRES] : []), ...(hasRedis() ? [REDIS] : [])]
