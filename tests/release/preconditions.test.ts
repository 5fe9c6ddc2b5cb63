import { describe, expect, it } from 'vitest'
import { checkContents } from '../../scripts/check-tarball.ts'
import { readPublishable } from '../../scripts/publishable.ts'
import { findMissingPackage } from '../../scripts/release/managers.ts'
import {
  defaultTag,
  findChangelogProblems,
  findVersionProblems,
  hasUnreleasedEntries,
  inDependencyOrder,
} from '../../scripts/release/preconditions.ts'
import { formatResults, formatSizes } from '../../scripts/release/tables.ts'

const CHANGELOG =
  '# Changelog\n\n## [Unreleased]\n\n- new\n\n## [1.1.0] - 2026-11-15\n\n- old\n\n## [1.0.0]\n\n## 0.9.0\n'

describe('findVersionProblems', () => {
  it('accepts packages of one version', () => {
    const manifest = { name: '@sdk/a', version: '1.0.0', dependencies: { '@sdk/b': '1.0.0', zod: '^4.0.0' } }
    expect(findVersionProblems('1.0.0', [manifest])).toEqual([])
  })

  it('names packages and dependencies of another version', () => {
    const a = { name: '@sdk/a', version: '0.9.0' }
    const b = { name: '@sdk/b', version: '1.0.0', devDependencies: { '@sdk/a': '^1.0.0' } }
    expect(findVersionProblems('1.0.0', [a, b])).toEqual([
      '@sdk/a has version 0.9.0, and the workspace 1.0.0: give both the same',
      '@sdk/b needs @sdk/a@^1.0.0: make it 1.0.0',
    ])
  })
})

describe('findChangelogProblems', () => {
  it('accepts a version with entries', () => expect(findChangelogProblems('1.1.0', CHANGELOG)).toEqual([]))

  it('rejects a version without a section, also one that only begins like another', () => {
    expect(findChangelogProblems('1.1.0-rc.0', CHANGELOG)).toEqual([
      expect.stringContaining('no section for 1.1.0-rc.0'),
    ])
    expect(findChangelogProblems('1.1', CHANGELOG)).toHaveLength(1)
  })

  it('rejects an empty section', () => {
    expect(findChangelogProblems('1.0.0', CHANGELOG)).toEqual([expect.stringContaining('is empty')])
  })
})

describe('hasUnreleasedEntries', () => {
  it('finds entries above the newest version', () => {
    expect(hasUnreleasedEntries(CHANGELOG)).toBe(true)
    expect(hasUnreleasedEntries(CHANGELOG.replace('- new', ''))).toBe(false)
    expect(hasUnreleasedEntries('# Changelog\n\n## 1.0.0\n\n- a\n')).toBe(false)
  })
})

describe('inDependencyOrder', () => {
  it('puts every package after those that it needs', () => {
    const names = inDependencyOrder(readPublishable()).map(({ name }) => name)
    expect(names).toHaveLength(readPublishable().length)
    expect(names.at(-1)).toBe('@sdk/create')
    for (const { name, needs } of readPublishable()) {
      for (const need of needs) expect(names.indexOf(need)).toBeLessThan(names.indexOf(name))
    }
  })

  it('throws for packages that need each other', () => {
    const a = { name: 'a', needs: ['b'] }
    const b = { name: 'b', needs: ['a'] }
    expect(() => inDependencyOrder([a, b])).toThrow('circular dependency between packages: a, b')
  })
})

describe('defaultTag', () => {
  it('keeps prereleases from becoming latest', () => {
    expect([defaultTag('1.0.0'), defaultTag('1.0.0-rc.0')]).toEqual(['latest', 'next'])
  })
})

describe('checkContents', () => {
  const files = ['README.md', 'LICENSE', 'package.json', 'dist/index.js', 'dist/index.d.ts', 'src/index.ts']

  it('accepts a package, and the tests of a template', () => {
    expect(checkContents([...files, 'template/default/tests/app.test.ts'])).toEqual([])
  })

  it('names missing and unwanted files', () => {
    expect(checkContents([...files.slice(1), 'src/a.test.ts', '.env.local'])).toEqual([
      'README.md is missing',
      'src/a.test.ts must not be published',
      '.env.local must not be published',
    ])
  })
})

describe('findMissingPackage', () => {
  it.each([
    ['│ @tool/binding-x@npm:1.2.18: No candidates found', '@tool/binding-x/1.2.18'],
    [`Error: Couldn't find any versions for "tool-x" that matches "1.2.18"`, 'tool-x/1.2.18'],
    ['connect ECONNREFUSED', null],
  ])('reads %s', (output, found) => expect(findMissingPackage(output)).toBe(found))
})

describe('the tables', () => {
  it('show the size of each tarball, and of all together', () => {
    const pkg = { name: '@sdk/a', size: 1500, unpackedSize: 4000, files: ['a', 'b'] }
    expect(formatSizes([pkg, { ...pkg, name: '@sdk/b' }]).split('\n')).toEqual([
      '  package   packed  unpacked  files',
      '  @sdk/a    1.5 kB    4.0 kB      2',
      '  @sdk/b    1.5 kB    4.0 kB      2',
      '  together  3.0 kB    8.0 kB      4',
    ])
  })

  it('show which package manager failed', () => {
    const ok = { name: 'npm', version: '11.0.0', createSeconds: 12.34, testSeconds: 5, failure: null, missing: null }
    const failed = { ...ok, name: 'yarn', testSeconds: null, failure: 'no such package' }
    expect(formatResults([ok, failed]).split('\n')).toEqual([
      '  manager  version  create   test  result',
      '  npm       11.0.0  12.3 s  5.0 s      ok',
      '  yarn      11.0.0  12.3 s      –  FAILED',
    ])
  })
})
