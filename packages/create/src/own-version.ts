import { readFileSync } from 'node:fs'

/** The version of this package, which is that of all. */
export function ownVersion(): string {
  const { version }: { version?: unknown } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  ) as object
  return String(version)
}
