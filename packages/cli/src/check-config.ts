import { createApp, createLog, memoryEngine } from '@sdk/server'
import { appSettings, CONFIG_FILE, type Config } from './config.ts'
import { Failure } from './failure.ts'
import { didYouMean } from './closest-match.ts'
import { isWebHeaders } from './web-headers.ts'
import { isWorkerCount } from './workers/worker-count.ts'

const LOG_LEVELS: ReadonlySet<unknown> = new Set(['debug', 'info', 'warn', 'error', 'silent'])

const SETTING_RULES: Readonly<Record<keyof Config, { description: string; isValid(value: unknown): boolean }>> = {
  port: { description: 'a number from 0 to 65535', isValid: (value) => isNonNegativeInteger(value) && value <= 65_535 },
  host: { description: "an address such as '0.0.0.0'", isValid: (value) => typeof value === 'string' && value !== '' },
  logLevel: { description: "'debug', 'info', 'warn', 'error' or 'silent'", isValid: (value) => LOG_LEVELS.has(value) },
  rateLimit: {
    description: 'false or an object of quotas such as { agent: { quota: 120, window: 60 } }',
    isValid: (value) => value === false || isSettingsObject(value),
  },
  cors: { description: "an array of origins such as ['https://app.example.com']", isValid: isStringArray },
  trustedProxies: { description: "an array of addresses and networks such as ['10.0.0.0/8']", isValid: isStringArray },
  limits: { description: 'an object of sizes such as { body: 1_048_576 }', isValid: isSettingsObject },
  metrics: { description: 'true or false', isValid: (value) => typeof value === 'boolean' },
  instances: {
    description: 'an integer of at least 1, such as 4',
    isValid: (value) => isNonNegativeInteger(value) && value >= 1,
  },
  workers: {
    description: "'auto' or an integer from 1 to 128, such as 4",
    isValid: (value) => value === 'auto' || isWorkerCount(value),
  },
  webHeaders: {
    description:
      "an object with a string or null for each header, such as { 'x-frame-options': 'DENY' }, without headers that the server sets itself",
    isValid: (value) => isSettingsObject(value) && isWebHeaders(value),
  },
  formatError: {
    description: "the path of a module whose default export is the function, such as './src/format-error.ts'",
    isValid: (value) => typeof value === 'string' && value !== '',
  },
  vite: { description: 'a Vite config such as { plugins: [] }', isValid: isSettingsObject },
}

/** Validates a config. Unknown settings are rejected, since a misspelled setting would otherwise have no effect. */
export function checkConfig(value: unknown): Config {
  if (!isSettingsObject(value)) {
    throw configFailure('the default export must be a config object', 'use export default defineConfig({ port: 3000 })')
  }
  for (const [name, setting] of Object.entries(value)) checkSetting(name, setting)
  checkApp(value)
  return value
}

function checkSetting(name: string, value: unknown): void {
  const rule = Object.hasOwn(SETTING_RULES, name) ? SETTING_RULES[name as keyof Config] : undefined
  if (rule === undefined) {
    const names = Object.keys(SETTING_RULES)
    const fix = didYouMean(name, names) ?? `available settings: ${names.join(', ')}`
    throw configFailure(`unknown setting ${JSON.stringify(name)}`, fix)
  }
  if (value === undefined || rule.isValid(value)) return
  throw configFailure(
    `${name} must be ${rule.description}, got ${JSON.stringify(value) ?? typeof value}`,
    `correct ${name} in ${CONFIG_FILE}`,
  )
}

/** Validates settings that only the app itself can check, such as the format of an origin. */
function checkApp(config: Config): void {
  try {
    const log = createLog({ level: 'silent' })
    createApp({ ...appSettings(config), engine: memoryEngine({ log }), log })
  } catch (error) {
    if (error instanceof TypeError) throw configFailure(error.message, `correct it in ${CONFIG_FILE}`)
    throw error
  }
}

function configFailure(message: string, fix: string): Failure {
  return new Failure(`${CONFIG_FILE}: ${message}`, { code: 'INVALID_CONFIG', fix })
}

function isSettingsObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isStringArray(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function isNonNegativeInteger(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0
}
