import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { createProject, toPackageName } from './create-project.ts'

describe('createProject', () => {
  it('writes an agent, an API, a page and the files npm would have left out', () => {
    const directory = join(temporaryFolder('create').path, 'My App')
    expect(createProject({ directory })).toEqual({ directory, name: 'my-app' })
    const files = ['src/agent/greet/index.ts', 'src/api/index.ts', 'src/web/index.tsx', 'tsconfig.json']
    expect(files.filter((file) => !existsSync(join(directory, file)))).toEqual([])
    expect(readFileSync(join(directory, '.gitignore'), 'utf8')).toContain('node_modules/')
    expect(readFileSync(join(directory, 'README.md'), 'utf8')).toMatch(/^# my-app\n/)
    expect(existsSync(join(directory, '_gitignore'))).toBe(false)
  })

  it('names every package of ours in one version, and pins the bundler', () => {
    const directory = join(temporaryFolder('create').path, 'app')
    createProject({ directory, name: '@ada/app' })
    const manifest = readManifest(directory)
    expect(manifest.name).toBe('@ada/app')
    expect(manifest.dependencies['@sdk/server']).toMatch(/^\^\d+\.\d+\.\d+$/)
    expect(manifest.devDependencies['@sdk/cli']).toBe(manifest.dependencies['@sdk/server'])
    expect(manifest.overrides).toEqual({ rolldown: '1.2.18' })
    expect(manifest.scripts).toMatchObject({ dev: 'sdk dev', build: 'sdk build', start: 'sdk start' })
  })

  it('takes versions from elsewhere', () => {
    const directory = join(temporaryFolder('create').path, 'app')
    createProject({ directory, versionOf: (name) => `file:${name}.tgz`, overrides: { '@sdk/protocol': 'file:p.tgz' } })
    const manifest = readManifest(directory)
    expect(manifest.dependencies['@sdk/react']).toBe('file:@sdk/react.tgz')
    expect(manifest.dependencies['zod']).not.toContain('file:')
    expect(manifest.overrides).toEqual({ rolldown: '1.2.18', '@sdk/protocol': 'file:p.tgz' })
  })

  it('touches no folder that has something in it, and says what', () => {
    const directory = temporaryFolder('create').path
    for (const file of ['a', 'b', 'c', 'd']) writeFileSync(join(directory, file), '')
    expect(() => createProject({ directory })).toThrow('is not empty: it has a, b, c and 1 more')
    expect(existsSync(join(directory, 'package.json'))).toBe(false)
  })

  it('takes a new repository for an empty folder', () => {
    const directory = temporaryFolder('create').path
    mkdirSync(join(directory, '.git'))
    createProject({ directory })
    expect(existsSync(join(directory, 'package.json'))).toBe(true)
  })

  it('refuses a name that npm refuses, before it writes anything', () => {
    const directory = join(temporaryFolder('create').path, 'app')
    expect(() => createProject({ directory, name: 'My App' })).toThrow('"My App" is no name for a package')
    expect(existsSync(directory)).toBe(false)
  })
})

describe('toPackageName', () => {
  it.each([
    ['My App', 'my-app'],
    ['.hidden_', 'hidden_'],
    ['Ünder', 'nder'],
    ['***', 'my-app'],
  ])('makes %s %s', (folder, name) => {
    expect(toPackageName(folder)).toBe(name)
  })
})

interface Manifest {
  name: string
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  overrides: Record<string, string>
}

function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
}
