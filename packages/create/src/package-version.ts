import { readFileSync } from 'node:fs'

/** Returns the version of this package. All SDK packages have the same version. */
export function packageVersion(): string {
  const { version }: { version?: unknown } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  ) as object
  return String(version)
}
