import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { EXIT } from './failure.ts'
import { runCommandLine } from './run-command-line.ts'
import { createTerminalStyle } from '@sdk/server/node'

describe('runCommandLine', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']]])('lists the commands for %j', async (args) => {
    const { code, out } = await sdk(args)
    expect(code).toBe(EXIT.ok)
    for (const name of [
      'dev',
      'build',
      'start',
      'add',
      'run',
      'runs',
      'list',
      'types',
      'openapi',
      'doctor',
      'explain',
      'info',
    ])
      expect(out).toContain(`sdk ${name} `)
  })

  it('lists the options of a command without running it', async () => {
    expect(await sdk(['dev', '--help'])).toMatchObject({
      code: EXIT.ok,
      out: expect.stringContaining('--port <number>'),
    })
  })

  it('supports --json in every command', async () => {
    const { out } = await sdk(['--help'])
    const names = Array.from(out.matchAll(/^ {2}sdk (\w+)/gm), ([, name = '']) => name)
    expect(names.length).toBeGreaterThan(10)
    for (const name of names) expect((await sdk([name, '--help'])).out, name).toMatch(/^ {2}--json /m)
  })

  it('prints help within 80 columns, except for examples', async () => {
    const { out } = await sdk(['--help'])
    const names = Array.from(out.matchAll(/^ {2}sdk (\w+)/gm), ([, name = '']) => name)
    const texts = [out, ...(await Promise.all(names.map(async (name) => (await sdk([name, '--help'])).out)))]
    const lines = texts.flatMap((text) => (text.split('\nExamples\n')[0] ?? '').split('\n'))
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  })

  it('prints the usage and examples of a command', async () => {
    const { out } = await sdk(['help', 'run'])
    expect(out).toContain('sdk run <agent> [input]: ')
    expect(out).toContain(`Examples\n  sdk run summarize '{"text":"One. Two."}' --stream`)
  })

  it('prints failures as JSON with --json', async () => {
    const { code, out, err } = await sdk(['list', '--json'], temporaryFolder('empty').path)
    expect([code, err]).toEqual([EXIT.failed, ''])
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'NO_PROJECT', fix: expect.stringContaining('npm create') } })
  })

  it('prints its version', async () => {
    expect(await sdk(['--version'])).toMatchObject({
      code: EXIT.ok,
      out: expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.]+)?\n$/),
    })
  })

  it.each([
    [['biuld'], 'unknown command "biuld"', 'did you mean sdk build?'],
    [['constructor'], 'unknown command "constructor"', 'sdk --help'],
    [['dev', '--prot', '1'], 'sdk dev has no option --prot', 'did you mean --port?'],
    [['dev', '--port'], '--port requires a value', 'sdk dev --port <number>'],
    [['list', '--json=yes'], '--json is a flag and does not accept a value', 'sdk list --json'],
    [
      ['add', 'agent'],
      'sdk add requires name: the name, such as daily-report; for a resource, a plural noun such as tasks; none for mcp',
      'sdk add agent <name>',
    ],
    [['add', 'mcp', 'tools'], 'sdk add mcp has no name, got "tools"', 'sdk add mcp'],
    [
      ['add', 'resorce', 'x'],
      'kind must be one of agent, route, socket, resource, chat, mcp, got "resorce"',
      'did you mean sdk add resource?',
    ],
    [['run', 'a', '{}', 'b'], 'sdk run accepts only agent and input, got "b"', 'sdk run --help'],
    [
      ['run', 'a', '{}', '--url', 'ftp://x'],
      '--url must be an HTTP URL such as http://127.0.0.1:3000, got "ftp://x"',
      'sdk run --help',
    ],
    [
      ['explain', 'LOAD_FALED'],
      'no explanation found for "LOAD_FALED": it may be defined by your app',
      'did you mean sdk explain LOAD_FAILED?',
    ],
    [['dev', 'there'], 'sdk dev accepts no arguments, got "there"', 'sdk dev --help'],
  ])('rejects %j and suggests a fix', async (args, message, fix) => {
    const { code, err } = await sdk(args)
    expect(code).toBe(EXIT.usage)
    expect(err).toBe(`✗ ${message}\n  ${fix}\n`)
  })

  it('exits with an error outside a project', async () => {
    const { code, err } = await sdk(['list'], temporaryFolder('empty').path)
    expect(code).toBe(EXIT.failed)
    expect(err).toContain('npm create @sdk my-app')
  })
})

async function sdk(args: readonly string[], cwd = '/'): Promise<{ code: number; out: string; err: string }> {
  let out = ''
  let err = ''
  const terminal = {
    out: (line = '') => void (out += `${line}\n`),
    write: (text: string) => void (out += text),
    err: (line = '') => void (err += `${line}\n`),
    paint: createTerminalStyle(false),
  }
  const code = await runCommandLine(args, { cwd, terminal })
  return { code, out, err }
}
