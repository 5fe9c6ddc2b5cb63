import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { discover } from '../discover.ts'
import { readManifest } from '../manifest.ts'
import { fileProject, type FileProject } from '../project.test.fixture.ts'
import { checkIgnored, checkProviders, checkWeb } from './check-files.ts'
import { checkTsconfig } from './check-tsconfig.ts'
import type { CheckContext } from './finding.ts'

describe('checkWeb', () => {
  it('accepts a project without a web app', () => expect(checkWeb(factsOf(fileProject({})))).toEqual([]))

  it('reports a web app without an entry, and packages without a web app', () => {
    const empty = fileProject({ 'src/web/App.tsx': '' })
    expect(checkWeb(factsOf(empty))).toMatchObject([{ code: 'WEB_MISSING', level: 'error' }])
    const none = fileProject({ 'package.json': '{ "dependencies": { "@sdk/react": "1" } }' })
    expect(checkWeb(factsOf(none))).toMatchObject([{ code: 'WEB_MISSING', level: 'warning' }])
  })
})

describe('checkProviders', () => {
  it.each([
    '<AuthProvider><SdkProvider><App /></SdkProvider></AuthProvider>',
    '<SdkProvider baseUrl="x"><AuthProvider><App /></AuthProvider></SdkProvider>',
  ])('accepts %s', (page) => {
    const app = `const a = useAPI('GET /x'); useAuth()`
    expect(checkProviders(factsOf(fileProject({ 'src/web/index.tsx': page, 'src/web/App.tsx': app })))).toEqual([])
  })

  it('reports each file with a hook whose provider is missing', () => {
    const project = fileProject({
      'src/web/index.tsx': '<App />',
      'src/web/parts/Chat.tsx': `useWebsocket('/ws/chat')`,
      'src/web/parts/User.tsx': `useAuth()`,
    })
    expect(checkProviders(factsOf(project))).toMatchObject([
      { code: 'PROVIDER_MISSING', place: 'src/web/parts/Chat.tsx', fix: expect.stringContaining('<SdkProvider>') },
      { code: 'PROVIDER_MISSING', place: 'src/web/parts/User.tsx', fix: expect.stringContaining('<AuthProvider>') },
    ])
  })
})

describe('checkProviders with linked folders', () => {
  it('follows links and ignores cyclic and dangling ones', () => {
    const project = fileProject({
      'src/web/index.tsx': '<App />',
      'src/web/chat.ts/App.tsx': `useAPI('GET /x')`,
      'shared/Providers.tsx': '<SdkProvider />',
    })
    const web = join(project.root, 'src/web')
    symlinkSync(web, join(web, 'loop'))
    symlinkSync(join(web, 'missing.tsx'), join(web, 'nowhere.tsx'))
    expect(checkProviders(factsOf(project))).toMatchObject([{ place: 'src/web/chat.ts/App.tsx' }])
    symlinkSync(join(project.root, 'shared'), join(web, 'shared'))
    expect(checkProviders(factsOf(project))).toEqual([])
  })
})

describe('checkIgnored', () => {
  it('adds the missing line to a .gitignore without a trailing newline', async () => {
    const project = fileProject({ '.gitignore': 'node_modules' })
    spawnSync('git', ['init', '--quiet'], { cwd: project.root })
    const [finding] = await checkIgnored(factsOf(project))
    expect(finding).toMatchObject({ code: 'SDK_NOT_IGNORED', level: 'error' })
    finding?.repair?.()
    expect(project.read('.gitignore')).toBe('node_modules\n.sdk/\n')
    expect(await checkIgnored(factsOf(project))).toEqual([])
  })

  it('accepts a project without a git repository', () => {
    expect(checkIgnored(factsOf(fileProject({})))).toEqual([])
  })
})

describe('checkTsconfig', () => {
  it('reports a missing tsconfig.json', () => {
    expect(checkTsconfig(factsOf(fileProject({})))).toMatchObject([{ code: 'TSCONFIG_MISSING' }])
  })

  it('reads comments, trailing commas, and extended configs', () => {
    const project = fileProject({
      'tsconfig.json': '{ // mine\n "extends": "./base", "compilerOptions": { "strict": true, }, }',
      'base.json':
        '{ "compilerOptions": { "module": "Preserve", "allowImportingTsExtensions": true, "noEmit": true } }',
    })
    expect(checkTsconfig(factsOf(project))).toEqual([])
  })

  it('adds missing options and keeps the other settings', async () => {
    const project = fileProject({ 'tsconfig.json': '{ "include": ["src"] }', 'src/web/index.tsx': '' })
    const findings = await checkTsconfig(factsOf(project))
    expect(findings.map(({ message }) => message.split(' ')[0])).toEqual([
      'strict',
      'moduleResolution',
      'allowImportingTsExtensions',
      'noEmit',
      'jsx',
    ])
    for (const { repair } of findings) repair?.()
    expect(await checkTsconfig(factsOf(project))).toEqual([])
    expect(JSON.parse(project.read('tsconfig.json'))).toMatchObject({ include: ['src'] })
  })

  it('does not edit a file with comments', async () => {
    const project = fileProject({ 'tsconfig.json': '{} // mine' })
    const findings = await checkTsconfig(factsOf(project))
    expect(findings.length).toBeGreaterThan(0)
    expect(findings.every(({ repair }) => repair === undefined)).toBe(true)
  })
})

function factsOf({ root }: FileProject): CheckContext {
  return { root, project: discover(root), manifest: readManifest(root), env: {}, productionEnv: {} }
}
