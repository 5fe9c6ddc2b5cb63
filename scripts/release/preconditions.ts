import type { Publishable } from '../publishable.ts'

/** The parts of a manifest that concern versions. */
export interface VersionedManifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Returns the places where a package has, or depends on, a version other than that of the workspace. */
export function findVersionProblems(version: string, manifests: readonly VersionedManifest[]): string[] {
  return manifests.flatMap(({ name, version: own, dependencies, devDependencies, peerDependencies }) => [
    ...(own === version ? [] : [`${name} has version ${own}, and the workspace ${version}: give both the same`]),
    ...[dependencies, devDependencies, peerDependencies]
      .flatMap((named) => Object.entries(named ?? {}))
      .filter(([dependency, range]) => dependency.startsWith('@sdk/') && range !== version)
      .map(([dependency, range]) => `${name} needs ${dependency}@${range}: make it ${version}`),
  ])
}

/** A section of the changelog. */
interface ChangelogSection {
  /** The heading of the section, as in `1.0.0 · 2026-11-15`. */
  readonly heading: string
  readonly body: string
}

/** Returns the parts that the changelog lacks for a version. */
export function findChangelogProblems(version: string, changelog: string): string[] {
  const section = readSections(changelog).find(({ heading }) => toVersion(heading) === version)
  if (section === undefined) return [`CHANGELOG.md has no section for ${version}: add "## [${version}] - <date>"`]
  return section.body === '' ? [`the section for ${version} in CHANGELOG.md is empty: list the changes`] : []
}

/** Returns whether the changelog has entries above its newest version. */
export function hasUnreleasedEntries(changelog: string): boolean {
  const [first] = readSections(changelog)
  return first !== undefined && toVersion(first.heading) === undefined && first.body !== ''
}

/** Returns the packages in dependency order. */
export function inDependencyOrder<T extends Pick<Publishable, 'name' | 'needs'>>(packages: readonly T[]): T[] {
  const ordered: T[] = []
  const waiting = new Set(packages)
  while (waiting.size > 0) {
    const names = new Set([...waiting].map(({ name }) => name))
    const ready = [...waiting].filter(({ needs }) => !needs.some((need) => names.has(need)))
    if (ready.length === 0) throw new Error(`circular dependency between packages: ${[...names].join(', ')}`)
    ordered.push(...ready)
    for (const pkg of ready) waiting.delete(pkg)
  }
  // The apps that it creates depend on all other packages.
  const isLast = ({ name }: T): boolean => name === '@sdk/create'
  return [...ordered.filter((pkg) => !isLast(pkg)), ...ordered.filter(isLast)]
}

/** Returns the dist-tag of a version. Prereleases do not become `latest` automatically. */
export function defaultTag(version: string): string {
  return version.includes('-') ? 'next' : 'latest'
}

/** Returns the sections of a changelog, newest first. */
function readSections(changelog: string): ChangelogSection[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n')
      return { heading: heading.trim(), body: lines.join('\n').trim() }
    })
}

function toVersion(heading: string): string | undefined {
  return /^\[?v?(\d+\.\d+\.\d+(?:-[\w.]+)?)\]?(?:\s|$)/.exec(heading)?.[1]
}
