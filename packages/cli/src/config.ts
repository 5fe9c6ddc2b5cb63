import type { AppOptions, LogOptions } from '@sdk/server'
import type { UserConfig } from 'vite'
import type { WebHeaders } from './web-headers.ts'

/** Options for `createApp` that a project may set. */
export type AppSettings = Pick<
  AppOptions<unknown, readonly []>,
  'rateLimit' | 'cors' | 'trustedProxies' | 'limits' | 'metrics'
>

/**
 * The settings in `sdk.config.ts`. `sdk build` reads them once, and the built server uses these values. Only `PORT`,
 * `HOST` and `LOG_LEVEL` can override them when it starts.
 */
export interface Config extends AppSettings {
  /** The port, unless `--port` or `PORT` sets another. @default 3000 */
  port?: number
  /** The address to listen on, unless `--host` or `HOST` sets another. @default '127.0.0.1' */
  host?: string
  /** The minimum log level, unless `LOG_LEVEL` sets another. @default 'info' in production, otherwise 'debug' */
  logLevel?: NonNullable<LogOptions['level']>
  /**
   * The number of processes that serve the app. With 1, rooms, limits and `ctx.kv` stay in memory. With more, or if
   * this is not set, they are shared through `REDIS_URL`, or through a PostgreSQL `DATABASE_URL`. @default not set
   */
  instances?: number
  /**
   * Headers of the built web app's pages and files. They are added to the defaults; null removes one. `sdk dev` sends
   * none of them. @default nosniff, the full referrer only for the same origin, no framing by other origins
   * @example { 'content-security-policy': "default-src 'self'; frame-ancestors 'none'" }
   */
  webHeaders?: WebHeaders
  /** Additional settings of Vite, such as plugins; they cannot override those of the SDK. @default {} */
  vite?: UserConfig
}

/** The part of the config that a built server contains: plain data. */
export type BuiltSettings = Omit<Config, 'vite'>

/**
 * Types the settings of a project: `export default defineConfig({ port: 4000 })` in `sdk.config.ts`.
 * @example export default defineConfig({ cors: ['https://app.example.com'], metrics: true })
 */
export function defineConfig(config: Config): Config {
  return config
}

/** The name of a project's configuration file. */
export const CONFIG_FILE = 'sdk.config.ts'

/** Returns the part of a config that `createApp` accepts. */
export function appSettings({ rateLimit, cors, trustedProxies, limits, metrics }: Config): AppSettings {
  const settings = Object.entries({ rateLimit, cors, trustedProxies, limits, metrics })
  return Object.fromEntries(settings.filter(([, value]) => value !== undefined))
}

/** Returns the log level; the environment takes precedence over the config. */
export function logSettings({ logLevel }: Config): Pick<LogOptions, 'level'> {
  const isSetByEnvironment = (process.env['LOG_LEVEL'] ?? '') !== ''
  return isSetByEnvironment || logLevel === undefined ? {} : { level: logLevel }
}
