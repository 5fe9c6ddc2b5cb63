import { describe, expect, it } from 'vitest'
import { discover } from '../discover.ts'
import { readManifest } from '../manifest.ts'
import { fileProject } from '../project.test.fixture.ts'
import { checkCopies, checkInstalled, checkNode, checkRolldown, checkVersions } from './check-packages.ts'
import type { CheckContext, Finding } from './finding.ts'

describe('checkNode', () => {
  it.each(['20.19.0', '20.20.2', '22.0.0'])('accepts %s', (version) => expect(checkNode(version)).toEqual([]))

  it.each(['18.20.0', '20.18.3'])('reports %s as too old', (version) => {
    expect(checkNode(version)).toMatchObject([{ code: 'NODE_TOO_OLD', level: 'error' }])
  })
})

describe('checkInstalled', () => {
  it('reports packages that are not installed', () => {
    const project = fileProject({
      'package.json': '{ "dependencies": { "here": "1", "gone": "1" } }',
      'node_modules/here/package.json': '{}',
    })
    expect(checkInstalled(factsOf(project))).toMatchObject([{ code: 'PACKAGE_MISSING', fix: 'npm install' }])
  })
})

describe('checkCopies', () => {
  it('reports copies of React in another package and in the pnpm store', () => {
    const project = fileProject({
      'node_modules/react/package.json': '{ "version": "19.0.0" }',
      'node_modules/@scope/widget/package.json': '{}',
      'node_modules/@scope/widget/node_modules/react/package.json': '{ "version": "18.0.0" }',
      'node_modules/.pnpm/react@17.0.0/node_modules/react/package.json': '{ "version": "17.0.0" }',
    })
    expect(checkCopies(factsOf(project))).toEqual([
      expect.objectContaining({
        code: 'DUPLICATE_PACKAGE',
        message: expect.stringContaining(
          'react is installed 3 times, and the copies do not share state: 19.0.0 in node_modules/react, 18.0.0 in node_modules/@scope/widget/node_modules/react, 17.0.0',
        ),
      }),
    ])
  })

  it('accepts one copy', () => {
    expect(checkCopies(factsOf(fileProject({ 'node_modules/react/package.json': '{}' })))).toEqual([])
  })
})

describe('checkVersions', () => {
  it('reports SDK packages with different versions', () => {
    const project = fileProject({
      'package.json': '{ "dependencies": { "@sdk/server": "1", "@sdk/react": "1" } }',
      'node_modules/@sdk/server/package.json': '{ "version": "0.1.0" }',
      'node_modules/@sdk/react/package.json': '{ "version": "0.2.0" }',
    })
    expect(checkVersions(factsOf(project))).toMatchObject([
      { code: 'VERSIONS_DIFFER', message: expect.stringContaining('@sdk/server 0.1.0, @sdk/react 0.2.0') },
    ])
  })
})

describe('checkRolldown', () => {
  it('pins the version, and keeps the rest of package.json', async () => {
    const project = fileProject({
      'package.json': '{ "name": "a", "overrides": { "x": "1" } }',
      'node_modules/rolldown/package.json': '{ "version": "1.2.19" }',
    })
    const [finding] = await checkRolldown(factsOf(project))
    expect(finding).toMatchObject({ code: 'ROLLDOWN_UNPINNED', level: 'warning' })
    finding?.repair?.()
    expect(JSON.parse(project.read('package.json'))).toEqual({ name: 'a', overrides: { x: '1', rolldown: '1.2.18' } })
    expect(await checkRolldown(factsOf(project))).toEqual([])
  })
})

describe('checkRolldown with another package manager', () => {
  const files = { 'node_modules/rolldown/package.json': '{ "version": "1.2.19" }' }

  it('names the file from which pnpm reads overrides, and does not edit it', () => {
    // pnpm does not read npm's overrides, which the templates contain.
    const manifest = '{ "overrides": { "rolldown": "1.2.18" } }'
    const project = fileProject({ ...files, 'package.json': manifest, 'pnpm-lock.yaml': '' })
    const [finding] = checkRolldown(factsOf(project)) as readonly Finding[]
    expect(finding).toMatchObject({
      place: 'pnpm-workspace.yaml',
      fix: 'add rolldown: 1.2.18 to overrides in pnpm-workspace.yaml, then run pnpm install',
    })
    expect(finding?.repair).toBeUndefined()
  })

  it('pins the version in the resolutions of yarn', async () => {
    const project = fileProject({ ...files, 'yarn.lock': '' })
    const [finding] = await checkRolldown(factsOf(project))
    finding?.repair?.()
    expect(JSON.parse(project.read('package.json'))).toMatchObject({ resolutions: { rolldown: '1.2.18' } })
    expect(await checkRolldown(factsOf(project))).toEqual([])
  })
})

function factsOf({ root }: { root: string }): CheckContext {
  return { root, project: discover(root), manifest: readManifest(root), env: {}, productionEnv: {} }
}
