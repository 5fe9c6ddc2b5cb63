import { postgresEngine } from '@sdk/database'
import { redisEngine } from '@sdk/redis'
import type { Engine } from '@sdk/server'
import { hasPostgres, hasRedis, type Service, startPostgres, startRedis } from '@sdk/test-kit'
import type { DriverOptions } from './open-engine.ts'

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
