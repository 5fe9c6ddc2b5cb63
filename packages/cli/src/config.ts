import type { AppOptions, LogOptions } from '@sdk/server'
import type { UserConfig } from 'vite'
import type { WebHeaders } from './web-headers.ts'

/** The `createApp` options that a project can set. */
export type AppSettings = Pick<
  AppOptions<unknown, readonly []>,
  'rateLimit' | 'cors' | 'trustedProxies' | 'limits' | 'metrics'
>

/**
 * The settings in `sdk.config.ts`. `sdk build` reads them once, and the built server uses these values. Only `PORT`,
 * `HOST` and `LOG_LEVEL` can override them when the server starts.
 */
export interface Config extends AppSettings {
  /** The port to listen on, unless `--port` or `PORT` is set. @default 3000 */
  port?: number
  /** The address to listen on, unless `--host` or `HOST` is set. @default '127.0.0.1' */
  host?: string
  /** The minimum log level, unless `LOG_LEVEL` is set. @default 'info' in production, otherwise 'debug' */
  logLevel?: NonNullable<LogOptions['level']>
  /**
   * The number of processes that serve the app. They share rooms, limits and `ctx.kv` through Redis if `REDIS_URL` is
   * set, or else through PostgreSQL if `DATABASE_URL` is a PostgreSQL URL and `instances` is not 1. Otherwise, each
   * process keeps its own state in memory. @default not set
   */
  instances?: number
  /**
   * The number of processes that `sdk start` runs on this machine, or `'auto'` for one per core, unless `--workers` or
   * `WORKERS` is set. They listen on one port and share the engine, so `REDIS_URL` or a PostgreSQL server is required.
   * @default 1
   */
  workers?: number | 'auto'
  /**
   * Headers for the built web app's pages and files, in addition to the defaults. Null removes a header. `sdk dev` does
   * not send them. @default nosniff, the full referrer only for the same origin, no framing by other origins
   * @example { 'content-security-policy': "default-src 'self'; frame-ancestors 'none'" }
   */
  webHeaders?: WebHeaders
  /**
   * The path of a module whose default export is a `FormatError` from `@sdk/server`: a function that converts each
   * error to a response in your own format. This setting is a path because the built server contains the module, but
   * not `sdk.config.ts`.
   * @default the error envelope
   * @example './src/format-error.ts'
   */
  formatError?: string
  /** Additional Vite settings, such as plugins. They cannot override the SDK's settings. @default {} */
  vite?: UserConfig
}

/** The part of the config that is stored in a built server. It contains only plain data. */
export type BuiltSettings = Omit<Config, 'vite'>

/**
 * Defines a project's settings, with type checking: `export default defineConfig({ port: 4000 })` in `sdk.config.ts`.
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

/** Returns the log options: the level in the config, unless the environment sets one. */
export function logSettings({ logLevel }: Config): Pick<LogOptions, 'level'> {
  const isSetByEnvironment = (process.env['LOG_LEVEL'] ?? '') !== ''
  return isSetByEnvironment || logLevel === undefined ? {} : { level: logLevel }
}
