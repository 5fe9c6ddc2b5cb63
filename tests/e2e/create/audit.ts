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

interface Tree {
  readonly dependencies?: Readonly<Record<string, Tree>>
}

/** Returns the names of all packages that are installed for production. */
export async function listProduction(app: CreatedApp): Promise<string[]> {
  const printed = await app.npm('ls', '--omit=dev', '--all', '--json', '--loglevel=silent')
  const names = new Set<string>()
  const open: Tree[] = [JSON.parse(printed.slice(printed.indexOf('{'))) as Tree]
  for (let tree = open.pop(); tree !== undefined; tree = open.pop()) {
    for (const [name, inner] of Object.entries(tree.dependencies ?? {})) {
      names.add(name)
      open.push(inner)
    }
  }
  return [...names].toSorted()
}
