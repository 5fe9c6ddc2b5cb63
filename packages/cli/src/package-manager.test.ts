import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { assertNodeModules, managerCommands, packageManagerOf } from './package-manager.ts'
import { fileProject } from './project.test.fixture.ts'

describe('packageManagerOf', () => {
  it.each([
    ['npm', 'package-lock.json'],
    ['pnpm', 'pnpm-lock.yaml'],
    ['pnpm', 'pnpm-workspace.yaml'],
    ['yarn', 'yarn.lock'],
    ['bun', 'bun.lock'],
  ] as const)('returns %s for a project with %s', (manager, file) => {
    expect(packageManagerOf(fileProject({ [file]: '' }).root)).toBe(manager)
  })

  it('prefers the nearest lockfile, and finds that of a workspace', () => {
    const { root } = fileProject({ 'pnpm-lock.yaml': '', 'apps/other/yarn.lock': '' })
    mkdirSync(join(root, 'apps/web'), { recursive: true })
    expect(packageManagerOf(join(root, 'apps/web'))).toBe('pnpm')
    expect(packageManagerOf(join(root, 'apps/other'))).toBe('yarn')
  })
})

describe('managerCommands', () => {
  it('returns the command that adds a package', () => {
    expect(managerCommands(fileProject({ 'package-lock.json': '' }).root).add).toBe('npm install')
    expect(managerCommands(fileProject({ 'yarn.lock': '' }).root).add).toBe('yarn add')
  })
})

describe('assertNodeModules', () => {
  it('rejects Plug’n’Play', () => {
    expect(() => assertNodeModules('3')).toThrow(expect.objectContaining({ code: 'PLUG_AND_PLAY' }))
  })

  it('accepts node_modules', () => assertNodeModules())
})
