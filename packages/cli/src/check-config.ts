import { createApp, createLog, memoryEngine } from '@sdk/server'
import { appSettings, CONFIG_FILE, type Config } from './config.ts'
import { Failure } from './failure.ts'
import { nearest } from './closest-match.ts'
import { isWebHeaders } from './web-headers.ts'

interface Rule {
  /** What it must be, in words. */
  readonly is: string
  holds(value: unknown): boolean
}

const LEVELS: ReadonlySet<unknown> = new Set(['debug', 'info', 'warn', 'error', 'silent'])

const RULES: Readonly<Record<keyof Config, Rule>> = {
  port: { is: 'a number from 0 to 65535', holds: (value) => isWhole(value) && value <= 65_535 },
  host: { is: "an address, as in '0.0.0.0'", holds: (value) => typeof value === 'string' && value !== '' },
  logLevel: { is: "'debug', 'info', 'warn', 'error' or 'silent'", holds: (value) => LEVELS.has(value) },
  rateLimit: {
    is: 'false, or quotas by policy, as in { agent: { quota: 120, window: 60 } }',
    holds: (value) => value === false || isRecord(value),
  },
  cors: { is: "a list of origins, as in ['https://app.example.com']", holds: isTexts },
  trustedProxies: { is: "a list of addresses and networks, as in ['10.0.0.0/8']", holds: isTexts },
  limits: { is: 'sizes by name, as in { body: 1_048_576 }', holds: isRecord },
  metrics: { is: 'true or false', holds: (value) => typeof value === 'boolean' },
  instances: { is: 'a number of processes, as in 4', holds: (value) => isWhole(value) && value >= 1 },
  webHeaders: {
    is: "headers by name that are text, or null for none, as in { 'x-frame-options': 'DENY' }, and none that the server makes itself",
    holds: (value) => isRecord(value) && isWebHeaders(value),
  },
  vite: { is: 'settings of Vite, as in { plugins: [] }', holds: isRecord },
}

/** Checks a config. Unknown names are refused: a mistyped setting would otherwise do nothing. */
export function checkConfig(value: unknown): Config {
  if (!isRecord(value)) {
    throw refusal('its default export is not a config', 'write export default defineConfig({ port: 3000 })')
  }
  for (const [name, setting] of Object.entries(value)) checkSetting(name, setting)
  checkApp(value)
  return value
}

function checkSetting(name: string, value: unknown): void {
  const rule = Object.hasOwn(RULES, name) ? RULES[name as keyof Config] : undefined
  if (rule === undefined) {
    const near = nearest(name, Object.keys(RULES))
    const known = `the settings are ${Object.keys(RULES).join(', ')}`
    throw refusal(`there is no setting ${JSON.stringify(name)}`, near === undefined ? known : `did you mean ${near}?`)
  }
  if (value !== undefined && !rule.holds(value))
    throw refusal(`${name} is ${rule.is}, got ${JSON.stringify(value) ?? typeof value}`, `correct ${name}`)
}

/** Checks what only the app itself can, such as the form of an origin. */
function checkApp(config: Config): void {
  try {
    createApp({ ...appSettings(config), engine: memoryEngine(), log: createLog({ level: 'silent' }) })
  } catch (error) {
    if (error instanceof TypeError) throw refusal(error.message, `correct it in ${CONFIG_FILE}`)
    throw error
  }
}

function refusal(message: string, fix: string): Failure {
  return new Failure(`${CONFIG_FILE}: ${message}`, { code: 'INVALID_CONFIG', fix })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0
}
