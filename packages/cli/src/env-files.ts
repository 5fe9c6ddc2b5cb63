import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { Failure } from './failure.ts'

/** The mode, which selects the env files that are read in addition to `.env` and `.env.local`. */
export type EnvMode = 'development' | 'production'

/** Returns the names of a mode's env files, as in Vite. If two files set the same variable, the later one wins. */
export function envFilesOf(mode: EnvMode): string[] {
  return ['.env', '.env.local', `.env.${mode}`, `.env.${mode}.local`]
}

/** Returns the names of the env files that exist in a project. */
export function findEnvFiles(root: string, mode: EnvMode): string[] {
  return envFilesOf(mode).filter(
    // Some Python tools create a folder named `.env`.
    (name) => statSync(join(root, name), { throwIfNoEntry: false })?.isDirectory() === false,
  )
}

/** Sets the variables in a project's env files, except those that are already set. */
export function loadEnvFiles(root: string, mode: EnvMode, env: NodeJS.ProcessEnv = process.env): void {
  const values = new Map(findEnvFiles(root, mode).flatMap((name) => readEnvFile(root, name)))
  values.delete('NODE_ENV') // the command sets this variable
  for (const [name, value] of values) env[name] ??= value
}

function readEnvFile(root: string, name: string): [string, string | undefined][] {
  const text = readFileSync(join(root, name), 'utf8').replace(/^\uFEFF/, '')
  const issue = findEnvFileIssue(text.split(/\r?\n/))
  if (issue === null) return Object.entries(parseEnv(text))
  throw new Failure(`${name}:${issue}`, {
    code: 'INVALID_ENV_FILE',
    fix: 'each line must be NAME=value, a # comment or empty; put multi-line values in quotes',
  })
}

const ENTRY = /^\s*(?:export\s+)?[A-Za-z_][\w.-]*\s*=\s*(.*)$/

/**
 * Finds the first line that Node's parser would silently skip. Returns its number and what is wrong with it, or null if
 * there is none. The line itself is never included, since it may contain a secret.
 */
function findEnvFileIssue(lines: readonly string[]): string | null {
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (/^\s*(?:#|$)/.test(line)) continue
    const value = ENTRY.exec(line)?.[1]
    if (value === undefined) return `${at + 1} is not NAME=value`
    const quote = /^["'`]/.exec(value)?.[0]
    if (quote === undefined || value.includes(quote, 1)) continue
    const end = lines.findIndex((later, index) => index > at && later.includes(quote))
    if (end === -1) return `${at + 1} has an unclosed quote (${quote})`
    at = end
  }
  return null
}
