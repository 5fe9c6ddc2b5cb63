import { readFileSync } from 'node:fs'

/** Returns the version of this package; all packages of the SDK have the same. */
export function packageVersion(): string {
  const { version }: { version?: unknown } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  ) as object
  return String(version)
}
