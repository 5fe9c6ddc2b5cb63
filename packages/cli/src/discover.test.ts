import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { discover, findProject, findRootToExtend } from './discover.ts'

describe('discover', () => {
  it('finds one agent per folder, prefers index.ts to agent.ts, and skips folders with neither', () => {
    const root = project(
      'src/agent/b/agent.ts',
      'src/agent/a/index.ts',
      'src/agent/a/agent.ts',
      'src/agent/shared/words.ts',
    )
    expect(discover(root).agents).toEqual([
      { name: 'a', file: join(root, 'src/agent/a/index.ts') },
      { name: 'b', file: join(root, 'src/agent/b/agent.ts') },
    ])
  })

  it('finds the API and the web app', () => {
    const root = project('src/api/index.ts', 'src/web/index.tsx')
    expect(discover(root)).toEqual({
      root,
      agents: [],
      api: join(root, 'src/api/index.ts'),
      web: { folder: join(root, 'src/web'), html: null },
    })
  })

  it('uses index.html of the web app if it exists', () => {
    const root = project('src/web/index.tsx', 'src/web/index.html')
    expect(discover(root).web?.html).toBe(join(root, 'src/web/index.html'))
  })

  // Root can read any folder, but not follow a cyclic link.
  it.each(['src/api', 'src/agent', 'src/web'])('throws if %s cannot be read', (folder) => {
    const root = project('src/words.ts')
    symlinkSync(join(root, folder), join(root, folder))
    expect(() => discover(root)).toThrow('ELOOP')
  })
})

describe('findProject', () => {
  it('finds the project from a folder inside it', () => {
    const root = project('package.json', 'src/api/index.ts')
    expect(findProject(join(root, 'src/api')).root).toBe(root)
  })

  it('throws if Vite cannot load files from the path', () => {
    const root = project('C#/package.json', 'C#/src/api/index.ts')
    expect(() => findProject(join(root, 'C#'))).toThrow('the path of the project contains "#"')
  })

  it('throws if there is nothing to run', () => {
    expect(() => findProject(project('package.json'))).toThrow('nothing to run')
  })

  it('names the project in a folder of a workspace', () => {
    const root = project(
      'package.json',
      'packages/a/package.json',
      'apps/web/package.json',
      'apps/web/src/api/index.ts',
    )
    for (const find of [findProject, findRootToExtend, findRootToExtend])
      expect(() => find(root)).toThrow(
        expect.objectContaining({ fix: 'change to the folder of the project: cd apps/web' }),
      )
    expect(findRootToExtend(join(root, 'packages/a'))).toBe(join(root, 'packages/a'))
  })
})

function project(...files: string[]): string {
  const { path } = temporaryFolder('discover')
  for (const file of files) {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    writeFileSync(join(path, file), '{}')
  }
  return path
}
