import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  addEntry,
  isExact,
  type Lockfile,
  LOCKFILE,
  missingDependencies,
  platformOf,
  readLockfile,
  removeUnverified,
  toLockfileText,
} from '../../scripts/lockfile.ts'

const BINDING = '@tool/binding-linux-x64-musl'

/** A lockfile with a tool whose binding has no entry. */
function incomplete(): Lockfile {
  return {
    packages: {
      'node_modules/tool': { version: '1.0.0', dev: true, optionalDependencies: { [BINDING]: '1.0.0' } },
    },
  }
}

const dependency = { name: BINDING, range: '1.0.0', parent: 'node_modules/tool' }

describe('package-lock.json', () => {
  const lockfile = readLockfile()

  it('has an entry for every optional dependency, so that npm ci works; if not: npm run lockfile', () => {
    expect(missingDependencies(lockfile)).toEqual([])
  })

  it.each(['x64', 'arm64'])('has the bindings for Linux on %s, each with a checksum', (cpu) => {
    const entries = Object.values(lockfile.packages).filter(
      (entry) => entry.os?.includes('linux') && entry.cpu?.includes(cpu) && !entry.libc?.includes('musl'),
    )
    expect(entries.length).toBeGreaterThan(5)
    expect(entries.filter(({ integrity }) => integrity === undefined)).toEqual([])
  })

  it('names no registry', () => {
    const resolved = Object.values(lockfile.packages).filter((entry) => !entry.link && entry.resolved !== undefined)
    expect(resolved).toEqual([])
  })

  it('is in the order of npm, so that npm run lockfile changes nothing else', () => {
    expect(toLockfileText(lockfile)).toBe(readFileSync(LOCKFILE, 'utf8'))
  })
})

describe('missingDependencies', () => {
  it('finds a dependency without an entry', () => {
    expect(missingDependencies(incomplete())).toEqual([dependency])
  })

  it('finds one whose entry has another version', () => {
    const lockfile = incomplete()
    lockfile.packages[`node_modules/${BINDING}`] = { version: '0.9.0' }
    expect(missingDependencies(lockfile)).toEqual([dependency])
  })

  it('looks in all folders above, as Node does', () => {
    const lockfile: Lockfile = {
      packages: {
        'packages/a/node_modules/b/node_modules/c': { optionalDependencies: { x: '1.0.0', y: '1.0.0', z: '^1.0.0' } },
        'packages/a/node_modules/b/node_modules/x': { version: '1.0.0' },
        'packages/a/node_modules/y': { version: '1.0.0' },
        'node_modules/z': { version: '1.2.3' },
      },
    }
    expect(missingDependencies(lockfile)).toEqual([])
  })
})

describe('addEntry', () => {
  it('completes a lockfile', () => {
    const lockfile = incomplete()
    addEntry(lockfile, dependency, { version: '1.0.0', ...platformOf(BINDING) })
    expect(missingDependencies(lockfile)).toEqual([])
    expect(JSON.stringify(lockfile.packages[`node_modules/${BINDING}`])).toBe(
      '{"version":"1.0.0","cpu":["x64"],"dev":true,"libc":["musl"],"optional":true,"os":["linux"]}',
    )
  })

  it('puts an entry below its parent where another version is at the top', () => {
    const lockfile = incomplete()
    lockfile.packages[`node_modules/${BINDING}`] = { version: '0.9.0', integrity: 'sha512-x' }
    addEntry(lockfile, dependency, { version: '1.0.0' })
    expect(lockfile.packages[`node_modules/tool/node_modules/${BINDING}`]).toMatchObject({ version: '1.0.0' })
    expect(missingDependencies(lockfile)).toEqual([])
  })

  it('adds an entry that removeUnverified removes until it has a checksum', () => {
    const lockfile = incomplete()
    addEntry(lockfile, dependency, { version: '1.0.0' })
    removeUnverified(lockfile)
    expect(lockfile).toEqual(incomplete())
    addEntry(lockfile, dependency, { version: '1.0.0', integrity: 'sha512-x' })
    removeUnverified(lockfile)
    expect(missingDependencies(lockfile)).toEqual([])
  })
})

describe('platformOf', () => {
  it.each([
    ['@oxfmt/binding-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'], libc: ['glibc'] }],
    ['@oxfmt/binding-linux-arm64-musl', { os: ['linux'], cpu: ['arm64'], libc: ['musl'] }],
    ['@oxfmt/binding-android-arm-eabi', { os: ['android'], cpu: ['arm'] }],
    ['@oxfmt/binding-win32-ia32-msvc', { os: ['win32'], cpu: ['ia32'] }],
    ['@oxlint-tsgolint/darwin-arm64', { os: ['darwin'], cpu: ['arm64'] }],
  ])('reads %s', (name, platform) => {
    expect(platformOf(name)).toEqual(platform)
  })

  it('throws for a name without a platform', () => {
    expect(() => platformOf('@tool/binding-plan9-x64')).toThrow('does not end with a known platform')
  })

  it('agrees with the manifests of all bindings that the registry has', () => {
    const published = Object.entries(readLockfile().packages).filter(
      ([path, { os, cpu, integrity }]) =>
        os?.length === 1 && cpu?.length === 1 && integrity !== undefined && /(gnu|musl|msvc)$/.test(path),
    )
    expect(published.length).toBeGreaterThan(10)
    for (const [path, { os, cpu, libc }] of published) {
      expect([path, platformOf(path)]).toEqual([path, { os, cpu, ...(libc && { libc }) }])
    }
  })
})

describe('isExact', () => {
  it.each(['1.2.3', '18.4.0-beta.17'])('accepts %s', (range) => expect(isExact(range)).toBe(true))
  it.each(['^1.2.3', '~2.3.2', '1.x', '*', '1.0.0 || 2.0.0'])('rejects %s', (range) =>
    expect(isExact(range)).toBe(false),
  )
})
