import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { EXIT } from './failure.ts'
import { run } from './run.ts'
import { createPaint } from '@sdk/server/node'

describe('run', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']]])('tells the commands for %j', async (args) => {
    const { code, out } = await sdk(args)
    expect(code).toBe(EXIT.ok)
    for (const name of ['dev', 'build', 'start', 'list', 'types']) expect(out).toContain(`sdk ${name} `)
  })

  it('tells the options of a command without running it', async () => {
    expect(await sdk(['dev', '--help'])).toMatchObject({
      code: EXIT.ok,
      out: expect.stringContaining('--port <number>'),
    })
  })

  it('tells its version', async () => {
    expect(await sdk(['--version'])).toMatchObject({ code: EXIT.ok, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })

  it.each([
    [['biuld'], 'there is no command "biuld"', 'did you mean sdk build?'],
    [['constructor'], 'there is no command "constructor"', 'sdk --help'],
    [['dev', '--prot', '1'], 'sdk dev has no option --prot', 'did you mean --port?'],
    [['dev', '--port'], '--port needs a value', 'sdk dev --port <number>'],
    [['list', '--json=yes'], '--json is a switch and takes no value', 'sdk list --json'],
    [['dev', 'there'], 'sdk dev takes no argument, got "there"', 'sdk dev --help'],
  ])('refuses %j and says what to do', async (args, message, fix) => {
    const { code, err } = await sdk(args)
    expect(code).toBe(EXIT.usage)
    expect(err).toBe(`✗ ${message}\n  ${fix}\n`)
  })

  it('says so where there is no project', async () => {
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
    err: (line = '') => void (err += `${line}\n`),
    paint: createPaint(false),
  }
  const code = await run(args, { cwd, terminal })
  return { code, out, err }
}
