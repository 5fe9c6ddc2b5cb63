import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { readBranch } from './git-branch.ts'

describe('readBranch', () => {
  it('returns the branch of a project, including one in a subfolder of the repository', () => {
    const { path } = temporaryFolder('branch')
    mkdirSync(join(path, '.git'))
    mkdirSync(join(path, 'apps/demo'), { recursive: true })
    writeFileSync(join(path, '.git/HEAD'), 'ref: refs/heads/feature/new-ui\n')
    expect(readBranch(path)).toBe('feature/new-ui')
    expect(readBranch(join(path, 'apps/demo'))).toBe('feature/new-ui')
  })

  it('returns the branch of a worktree', () => {
    const { path } = temporaryFolder('branch')
    mkdirSync(join(path, 'main/.git/worktrees/other'), { recursive: true })
    mkdirSync(join(path, 'other'))
    writeFileSync(join(path, 'main/.git/worktrees/other/HEAD'), 'ref: refs/heads/other\n')
    writeFileSync(join(path, 'other/.git'), 'gitdir: ../main/.git/worktrees/other\n')
    expect(readBranch(join(path, 'other'))).toBe('other')
  })

  it('returns the commit if no branch is checked out', () => {
    const { path } = temporaryFolder('branch')
    mkdirSync(join(path, '.git'))
    writeFileSync(join(path, '.git/HEAD'), '61e4f52aa0cafe61e4f52aa0cafe61e4f52aa0ca\n')
    expect(readBranch(path)).toBe('61e4f52')
  })

  it('returns null without a git repository', () => {
    expect(readBranch(temporaryFolder('branch').path)).toBeNull()
  })
})
