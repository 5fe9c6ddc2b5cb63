import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { createProject } from './create-project.ts'
import { templates } from './templates.ts'

describe.each(templates.map(({ name }) => name))('createProject, template %s', (template) => {
  const directory = join(temporaryFolder('create').path, 'My App')
  const made = createProject({ directory, template })
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const read = (file: string): string => readFileSync(join(directory, file), 'utf8')

  it('uses the name of the folder everywhere', () => {
    expect(made).toEqual({ directory, name: 'my-app' })
    expect(read('README.md')).toMatch(/^# my-app\n/)
    expect(read('AGENTS.md')).toContain('my-app')
    const texts = files.filter((file) => /\.\w+$/.test(file)).map(read)
    expect(texts.filter((text) => text.includes('{{'))).toEqual([])
  })

  it('has the common files of every app', () => {
    const needed = ['.env.example', '.gitignore', 'src/sdk-routes.d.ts', 'tests/app.test.ts', 'tsconfig.json']
    expect(needed.filter((file) => !files.includes(file))).toEqual([])
    expect(files.filter((file) => /(^|\/)_/.test(file))).toEqual([])
    expect(read('.gitignore')).toContain('node_modules/')
  })

  it('uses one version of all SDK packages, and pins the bundler like this repository', () => {
    const { dependencies, devDependencies, overrides, scripts } = readManifest(directory)
    const ours = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) => name.startsWith('@sdk/'))
    const workspace = readManifest(join(import.meta.dirname, '../../..'))
    expect(new Set(ours.map(([, version]) => version))).toEqual(new Set([`^${workspace.version}`]))
    expect(overrides).toEqual({ rolldown: workspace.overrides['rolldown'] })
    expect(Object.keys(scripts)).toEqual(['dev', 'build', 'start', 'test', 'types'])
  })
})

describe('createProject', () => {
  it('creates each template with its files', () => {
    const parts = (template: (typeof templates)[number]['name']): string[] => {
      const directory = join(temporaryFolder('create').path, 'app')
      createProject({ directory, template })
      const paths = ['src/agent', 'src/api', 'src/web', 'src/auth.ts', 'Dockerfile', 'deploy/app.service']
      return paths.filter((path) => existsSync(join(directory, path)))
    }
    expect(parts('default')).toEqual([
      'src/agent',
      'src/api',
      'src/web',
      'src/auth.ts',
      'Dockerfile',
      'deploy/app.service',
    ])
    expect(parts('minimal')).toEqual(['src/agent', 'src/web'])
    expect(parts('api-only')).toEqual(['src/agent', 'src/api', 'Dockerfile', 'deploy/app.service'])
  })

  it('copies package files into the project and pins indirect dependencies to them', () => {
    const folder = temporaryFolder('create').path
    const tarballs = ['server', 'frontend', 'create'].map((name) => {
      const file = join(folder, `sdk-${name}-0.1.0.tgz`)
      writeFileSync(file, name)
      return { name: `@sdk/${name}`, file }
    })
    const directory = join(folder, 'app')
    createProject({ directory, tarballs })
    const { dependencies, overrides } = readManifest(directory)
    expect(dependencies['@sdk/server']).toBe('file:vendor/sdk-server.tgz')
    expect(overrides).toEqual({ rolldown: expect.any(String), '@sdk/frontend': 'file:vendor/sdk-frontend.tgz' })
    expect(readdirSync(join(directory, 'vendor'))).toEqual(['sdk-frontend.tgz', 'sdk-server.tgz'])
  })

  it('pins versions for yarn and creates a separate project with node_modules', () => {
    const directory = join(temporaryFolder('create').path, 'app')
    createProject({ directory, packageManager: 'yarn' })
    const pins = { rolldown: expect.any(String) }
    expect(readManifest(directory)).toMatchObject({ resolutions: { ...pins, kysely: '^0.28.18' }, overrides: pins })
    const small = join(temporaryFolder('create').path, 'app')
    createProject({ directory: small, packageManager: 'yarn', template: 'minimal' })
    expect(readManifest(small)).toMatchObject({ resolutions: pins })
    expect(readManifest(small)).not.toHaveProperty('resolutions.kysely')
    expect(readFileSync(join(directory, '.yarnrc.yml'), 'utf8')).toBe('nodeLinker: node-modules\n')
    expect(readFileSync(join(directory, 'yarn.lock'), 'utf8')).toBe('')
    expect(readFileSync(join(directory, '.gitignore'), 'utf8')).toMatch(/^\.yarn\/install-state\.gz$/m)
  })

  it('pins direct dependencies for bun', () => {
    const { path } = temporaryFolder('create')
    const file = join(path, 'sdk-server-0.1.0.tgz')
    writeFileSync(file, '')
    const directory = join(path, 'app')
    createProject({ directory, packageManager: 'bun', tarballs: [{ name: '@sdk/server', file }] })
    expect(readManifest(directory).overrides).toEqual({
      rolldown: expect.any(String),
      '@sdk/server': 'file:vendor/sdk-server.tgz',
    })
  })

  it('pins versions for all versions of pnpm', () => {
    const directory = join(temporaryFolder('create').path, 'app')
    createProject({ directory, packageManager: 'pnpm' })
    const { overrides } = readManifest(directory)
    expect(readFileSync(join(directory, 'pnpm-workspace.yaml'), 'utf8')).toContain(
      `overrides:\n  "rolldown": ${JSON.stringify(overrides['rolldown'])}\n`,
    )
    expect(readManifest(directory)).not.toHaveProperty('pnpm')
    const old = join(temporaryFolder('create').path, 'app')
    createProject({ directory: old, packageManager: 'pnpm', packageManagerVersion: 9 })
    expect(readManifest(old)).toMatchObject({ pnpm: { overrides } })
  })

  it('throws if the folder is not empty and lists its files', () => {
    const directory = temporaryFolder('create').path
    for (const file of ['a', 'b', 'c', 'd']) writeFileSync(join(directory, file), '')
    expect(() => createProject({ directory })).toThrow('is not empty: it contains a, b, c and 1 more')
    expect(readdirSync(directory)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('accepts a new git repository as an empty folder', () => {
    const directory = temporaryFolder('create').path
    mkdirSync(join(directory, '.git'))
    createProject({ directory })
    expect(existsSync(join(directory, 'package.json'))).toBe(true)
  })

  it('throws on an invalid package name before it writes any file', () => {
    const directory = join(temporaryFolder('create').path, 'app')
    expect(() => createProject({ directory, name: 'My App' })).toThrow('"My App" is not a valid package name')
    expect(existsSync(directory)).toBe(false)
  })
})

interface Manifest {
  readonly version: string
  name: string
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  overrides: Record<string, string>
}

function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
}
