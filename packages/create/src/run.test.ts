import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { run } from './run.ts'

describe('run', () => {
  it('makes the app and says what comes next', async () => {
    const cwd = temporaryFolder('create').path
    const { code, out } = await create(['shop', '--yes'], { cwd })
    expect(code).toBe(0)
    expect(out).toBe('✓ shop is ready. Now:\n\n  cd shop\n  npm install\n  npm run dev\n\n')
    expect(existsSync(join(cwd, 'shop/package.json'))).toBe(true)
  })

  it('asks for the folder where somebody can answer', async () => {
    const cwd = temporaryFolder('create').path
    await create([], { cwd, ask: () => Promise.resolve(' shop ') })
    expect(existsSync(join(cwd, 'shop/package.json'))).toBe(true)
    await create([], { cwd, ask: () => Promise.resolve('') })
    expect(existsSync(join(cwd, 'my-app/package.json'))).toBe(true)
  })

  it('asks nothing with --yes', async () => {
    const cwd = temporaryFolder('create').path
    await create(['--yes'], { cwd, ask: () => Promise.reject(new Error('asked')) })
    expect(existsSync(join(cwd, 'my-app/package.json'))).toBe(true)
  })

  it('makes an app in the folder it is called in', async () => {
    const cwd = temporaryFolder('create').path
    expect((await create(['.', '--name', 'here'], { cwd })).out).toBe(
      '✓ Your app is ready. Now:\n\n  npm install\n  npm run dev\n\n',
    )
  })

  it('takes our packages from tarballs, also where they need one another', async () => {
    const cwd = temporaryFolder('create').path
    for (const name of ['protocol', 'react', 'server', 'cli', 'test-kit'])
      writeFileSync(join(cwd, `sdk-${name}-0.1.0.tgz`), '')
    await create(['--packages', cwd], { cwd })
    const manifest = JSON.parse(readFileSync(join(cwd, 'my-app/package.json'), 'utf8'))
    expect(manifest.devDependencies['@sdk/cli']).toBe(`file:${cwd}/sdk-cli-0.1.0.tgz`)
    expect(manifest.overrides['@sdk/test-kit']).toBe(`file:${cwd}/sdk-test-kit-0.1.0.tgz`)
  })

  it.each([
    [['--what'], 2, "Unknown option '--what'"],
    [['--packages', '/nowhere'], 1, 'there are no packages in /nowhere'],
  ])('explains %j', async (args, code, message) => {
    const result = await create(args, { cwd: temporaryFolder('create').path })
    expect(result.code).toBe(code)
    expect(result.err).toContain(`✗ ${message}`)
  })

  it('tells its version and its options', async () => {
    expect((await create(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect((await create(['--help'])).out).toContain('--packages <dir>')
  })
})

interface Call {
  cwd?: string
  ask?: (question: string) => Promise<string>
}

async function create(
  args: readonly string[],
  { cwd = '/', ask }: Call = {},
): Promise<{ code: number; out: string; err: string }> {
  let out = ''
  let err = ''
  const code = await run(args, {
    cwd,
    out: (line) => void (out += `${line}\n`),
    err: (line) => void (err += `${line}\n`),
    ask: ask ?? null,
  })
  return { code, out, err }
}
