import type { AppOptions, LogOptions } from '@sdk/server'
import type { UserConfig } from 'vite'
import type { WebHeaders } from './web-headers.ts'

/** What of `createApp` a project may set. */
export type AppSettings = Pick<
  AppOptions<unknown, readonly []>,
  'rateLimit' | 'cors' | 'trustedProxies' | 'limits' | 'metrics'
>

/**
 * What `sdk.config.ts` may say. `sdk build` reads it once: a built server has the values of then, except where `PORT`, `HOST`
 * or `LOG_LEVEL` say another when it starts.
 */
export interface Config extends AppSettings {
  /** The port, where neither `--port` nor `PORT` says another. @default 3000 */
  port?: number
  /** The address to listen on, where neither `--host` nor `HOST` says another. @default '127.0.0.1' */
  host?: string
  /** The least that is worth a log line, where `LOG_LEVEL` says nothing. @default 'info' in production, else 'debug' */
  logLevel?: NonNullable<LogOptions['level']>
  /**
   * How many processes serve the app. One keeps rooms, limits and `ctx.kv` to itself; of more, or where it is not said,
   * they are shared over `REDIS_URL`, else over a `DATABASE_URL` of PostgreSQL. @default not said
   */
  instances?: number
  /**
   * Headers of the built web app's pages and files, over those that it has anyway; null leaves one out. `sdk dev` sends none
   * of them. @default nosniff, a referrer for the own origin alone, and no frames on pages of others
   * @example { 'content-security-policy': "default-src 'self'; frame-ancestors 'none'" }
   */
  webHeaders?: WebHeaders
  /** Further settings of Vite, such as plugins; what the SDK sets itself stays. @default {} */
  vite?: UserConfig
}

/** What a built server keeps of the config: all that is plain data. */
export type Settings = Omit<Config, 'vite'>

/**
 * Types the settings of a project: `export default defineConfig({ port: 4000 })` in `sdk.config.ts`.
 * @example export default defineConfig({ cors: ['https://app.example.com'], metrics: true })
 */
export function defineConfig(config: Config): Config {
  return config
}

/** Where the settings of a project are. */
export const CONFIG_FILE = 'sdk.config.ts'

/** What of a config the app is made with. */
export function appSettings({ rateLimit, cors, trustedProxies, limits, metrics }: Config): AppSettings {
  return {
    ...(rateLimit !== undefined && { rateLimit }),
    ...(cors !== undefined && { cors }),
    ...(trustedProxies !== undefined && { trustedProxies }),
    ...(limits !== undefined && { limits }),
    ...(metrics !== undefined && { metrics }),
  }
}

/** The level of the log: the environment decides before the config. */
export function logSettings({ logLevel }: Config): Pick<LogOptions, 'level'> {
  const isSaid = (process.env['LOG_LEVEL'] ?? '') !== ''
  return isSaid || logLevel === undefined ? {} : { level: logLevel }
}
