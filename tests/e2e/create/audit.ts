import type { CreatedApp } from './created-app.ts'

interface Audit {
  readonly vulnerabilities?: Readonly<Record<string, { severity: string; fixAvailable: unknown }>>
}

/**
 * Returns the fixable vulnerabilities of production packages that `npm audit` reports; null if the registry does not
 * support it.
 */
export async function findFixable(app: CreatedApp): Promise<string[] | null> {
  const printed = await app.tryNpm('audit', '--omit=dev', '--json', '--loglevel=silent')
  const { vulnerabilities }: Audit = JSON.parse(printed.slice(printed.indexOf('{'), printed.lastIndexOf('}') + 1))
  if (vulnerabilities === undefined) return null
  const grave = Object.entries(vulnerabilities).filter(([, { severity }]) => ['high', 'critical'].includes(severity))
  return grave.filter(([, { fixAvailable }]) => fixAvailable !== false).map(([name]) => name)
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { dev?: boolean }>>
}

/** Returns the names of all packages that are installed for production, from npm's record of `node_modules`. */
export function listProduction(app: CreatedApp): string[] {
  const { packages } = JSON.parse(app.read('node_modules/.package-lock.json')) as Lockfile
  const paths = Object.keys(packages).filter((path) => packages[path]?.dev !== true)
  return [...new Set(paths.map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)))]
}
