import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { runCreate } from './run-create.ts'

describe('runCreate', () => {
  it('creates the app and prints the next three commands', async () => {
    const cwd = temporaryFolder('create').path
    const { code, out } = await create(['shop', '--yes', '--no-install'], { cwd })
    expect(code).toBe(0)
    expect(out).toBe('✓ shop is ready. Now run:\n\n  cd shop\n  npm install\n  npm run dev\n\n')
    expect(existsSync(join(cwd, 'shop/package.json'))).toBe(true)
    expect(existsSync(join(cwd, 'shop/.git'))).toBe(true)
  })

  it('prompts three times on a terminal', async () => {
    const cwd = temporaryFolder('create').path
    const { asked, out } = await create([], { cwd, answers: [' shop ', '2', 'n'] })
    expect(asked).toEqual([
      expect.stringContaining('Where should the app be created?'),
      expect.stringContaining('2  minimal   one agent and one page'),
      expect.stringContaining('Install the packages now?'),
    ])
    expect(out).toContain('cd shop\n  npm install')
    expect(readdirSync(join(cwd, 'shop/src'))).toEqual(['agent', 'sdk-routes.d.ts', 'web'])
  })

  it('uses the default for empty input and prompts again after invalid input', async () => {
    const cwd = temporaryFolder('create').path
    const { asked } = await create(['--no-install'], { cwd, answers: ['', 'vue', 'api'] })
    expect(asked[2]).toBe('unknown template "vue"; choose one of: default, minimal, api-only\n> ')
    expect(readdirSync(join(cwd, 'my-app/src'))).not.toContain('web')
  })

  it('does not prompt for given options, and never prompts with --yes', async () => {
    const cwd = temporaryFolder('create').path
    expect(await create(['a', '--template', 'minimal', '--no-install'], { cwd, answers: [] })).toMatchObject({
      code: 0,
    })
    expect(await create(['b', '--yes', '--no-install'], { cwd, answers: [] })).toMatchObject({ code: 0, asked: [] })
  })

  it('creates an app in the current folder and no git repository inside another one', async () => {
    const cwd = temporaryFolder('create').path
    const { out } = await create(['.', '--name', 'here', '--no-install'], { cwd })
    expect(out).toBe('✓ Your app is ready. Now run:\n\n  npm install\n  npm run dev\n\n')
    await create(['inner', '--no-install', '-t', 'minimal'], { cwd })
    expect(existsSync(join(cwd, 'inner/.git'))).toBe(false)
  })

  it('does not create a git repository with --no-git', async () => {
    const cwd = temporaryFolder('create').path
    await create(['shop', '--no-install', '--no-git'], { cwd })
    expect(existsSync(join(cwd, 'shop/.git'))).toBe(false)
  })

  it.each([
    [['--what'], 2, "Unknown option '--what'", 'list the options: npm create @sdk -- --help'],
    [['--template', 'vue'], 2, 'unknown template "vue"', 'choose one of: default, minimal, api-only'],
    [['--package-manager', 'apt'], 2, 'unknown package manager "apt"', 'npm, pnpm, yarn, bun'],
    [['my', 'app'], 2, 'expected one folder', 'quote a name with spaces: "my app"'],
    [['x', '--name', 'X y'], 2, '"X y" is not a valid package name', 'try --name x-y'],
    [['--packages', '/nowhere'], 1, 'no packages found in /nowhere', 'npm pack'],
  ])('prints an error and a fix for %j', async (args, code, message, fix) => {
    const cwd = temporaryFolder('create').path
    const result = await create(args, { cwd })
    expect(result.code).toBe(code)
    expect(result.err).toContain(`✗ ${message}`)
    expect(result.err).toContain(fix)
    expect(readdirSync(cwd)).toEqual([])
  })

  it('prints its version and its options', async () => {
    expect((await create(['--version'])).out).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?\n$/)
    expect((await create(['--help'])).out).toContain('--packages <dir>')
  })
})

describe('runCreate, installation', () => {
  it('installs with the calling package manager', async () => {
    const cwd = temporaryFolder('create').path
    const env = { ...withProgram('pnpm', 'echo "$@" > installed'), npm_config_user_agent: 'pnpm/10.1.0 npm/? node/v20' }
    const { code, out } = await create(['shop', '--yes'], { cwd, env })
    expect(code).toBe(0)
    expect(out).toMatch(/^Installing packages with pnpm …\n✓ Packages installed in [\d.]+ s\n✓ shop is ready/)
    expect(out).toContain('  cd shop\n  pnpm run dev\n  pnpm test\n')
    expect(readFileSync(join(cwd, 'shop/installed'), 'utf8')).toBe('install --prefer-offline\n')
    // Versions before 10.5 do not read overrides from pnpm-workspace.yaml.
    expect(JSON.parse(readFileSync(join(cwd, 'shop/package.json'), 'utf8'))).toHaveProperty('pnpm.overrides.rolldown')
  })

  it('prints the command that runs the tests of the app with bun', async () => {
    const { out } = await create(['shop', '--yes', '--package-manager', 'bun'], {
      cwd: temporaryFolder('create').path,
      env: withProgram('bun', 'exit 0'),
    })
    expect(out).toContain('  bun run dev\n  bun run test\n')
  })

  it('keeps the app and prints the output if the installation fails', async () => {
    const cwd = temporaryFolder('create').path
    const { code, err } = await create(['shop', '--yes'], {
      cwd,
      env: withProgram('npm', 'echo no network >&2; exit 7'),
    })
    expect(code).toBe(1)
    expect(err).toContain('could not install its packages:\n    no network\n')
    expect(err).toContain('cd shop && npm install')
    expect(existsSync(join(cwd, 'shop/package.json'))).toBe(true)
  })

  it('prints a fix if the package manager is not installed', async () => {
    const { code, err } = await create(['shop', '--yes', '--package-manager', 'bun'], {
      cwd: temporaryFolder('create').path,
      env: { PATH: '/nowhere' },
    })
    expect(code).toBe(1)
    expect(err).toContain('install bun, or use another package manager: --package-manager npm')
  })

  it('stops the installation when interrupted and prints how to complete it', async () => {
    const cwd = temporaryFolder('create').path
    const stop = new AbortController()
    const call = create(['shop', '--yes'], {
      cwd,
      env: withProgram('npm', 'exec sleep 60'),
      signal: stop.signal,
      onOut: (line) => line.startsWith('Installing') && setImmediate(() => stop.abort()),
    })
    const { code, err } = await call
    expect(code).toBe(130)
    expect(err).toContain(
      'interrupted during the installation: the app is complete, but not all packages are installed\n  cd shop && npm install',
    )
  })
})

interface Call {
  cwd?: string
  env?: NodeJS.ProcessEnv
  answers?: string[]
  signal?: AbortSignal
  onOut?: (line: string) => void
}

async function create(
  args: readonly string[],
  { cwd = '/', env = process.env, answers, signal = new AbortController().signal, onOut }: Call = {},
): Promise<{ code: number; out: string; err: string; asked: string[] }> {
  let out = ''
  let err = ''
  const asked: string[] = []
  const code = await runCreate(args, {
    cwd,
    env,
    signal,
    screen: {
      out(line) {
        out += `${line}\n`
        onOut?.(line)
      },
      err: (line) => void (err += `${line}\n`),
      rewrite: null,
      paint: (_style, text) => text,
    },
    ask: answers === undefined ? null : (question) => reply(question),
  })
  return { code, out, err, asked }

  function reply(question: string): Promise<string> {
    asked.push(question)
    const text = answers?.shift()
    return text === undefined ? Promise.reject(new Error(`unexpected prompt: ${question}`)) : Promise.resolve(text)
  }
}

/** Returns an environment with a fake program. */
function withProgram(name: string, script: string): NodeJS.ProcessEnv {
  const folder = temporaryFolder('create').path
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, name), 0o755)
  return { ...process.env, npm_config_user_agent: undefined, PATH: `${folder}${delimiter}${process.env['PATH']}` }
}
