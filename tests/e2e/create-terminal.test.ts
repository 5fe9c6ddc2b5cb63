import { spawn } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'

const CREATE = join(createRequire(import.meta.url).resolve('@sdk/create/package.json'), '../bin/create.js')
/** Runs a command in a separate terminal. */
const SCRIPT = '/usr/bin/script'
const CTRL_C = '\u0003'
const CTRL_D = '\u0004'

describe.skipIf(!existsSync(SCRIPT) || process.platform !== 'linux')('npm create @sdk in a terminal', () => {
  it('prompts for the options and creates the app', async () => {
    const cwd = temporaryFolder('create').path
    const { code, shown } = await talk(cwd, [], {
      'Where should the app be created? (my-app) ': 'shop\r',
      'Which template?': 'vue\r',
      'unknown template "vue"': '2\r',
      'Install the packages now?': 'n\r',
    })
    expect(code).toBe(0)
    expect(shown).toContain('> vue\n')
    expect(shown).toContain('✓ shop is ready. Now run:\n\n  cd shop\n  npm install\n  npm run dev\n')
    expect(readdirSync(join(cwd, 'shop/src'))).toEqual(['agent', 'sdk-routes.d.ts', 'web'])
  })

  it.each([
    ['Ctrl-C', CTRL_C],
    ['Ctrl-D', CTRL_D],
  ])('creates nothing after %s at a prompt', async (_name, key) => {
    const cwd = temporaryFolder('create').path
    const { code, shown } = await talk(cwd, ['shop'], { 'Which template?': key })
    expect(code).toBe(130)
    expect(shown).toContain('✗ interrupted: nothing was created\n')
    expect(readdirSync(cwd)).toEqual([])
  })

  it('explains after Ctrl-C during the installation that the app was created', async () => {
    const cwd = temporaryFolder('create').path
    const { code, shown } = await talk(cwd, ['shop', '--yes'], { 'Installing packages with npm': CTRL_C })
    expect(code).toBe(130)
    expect(shown).toContain(
      'interrupted during the installation: the app is complete, but not all packages are installed\n  cd shop && npm install',
    )
    expect(existsSync(join(cwd, 'shop/package.json'))).toBe(true)
  })
})

/** Runs it in a terminal, and types each answer when its question is shown, in order. npm never finishes here. */
function talk(
  cwd: string,
  args: readonly string[],
  answers: Readonly<Record<string, string>>,
): Promise<{ code: number | null; shown: string }> {
  const programs = temporaryFolder('create').path
  writeFileSync(join(programs, 'npm'), '#!/bin/sh\nexec sleep 60\n')
  chmodSync(join(programs, 'npm'), 0o755)
  const env = { ...process.env, npm_config_user_agent: '', PATH: `${programs}${delimiter}${process.env['PATH']}` }
  const command = [process.execPath, CREATE, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
  const open = Object.entries(answers)
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += stripVTControlCharacters(text).replaceAll('\r\n', '\n').replaceAll('\n\n\n', '\n\n')
    const [question, answer] = open[0] ?? []
    if (question === undefined || answer === undefined || !shown.includes(question)) return
    open.shift()
    child.stdin.write(answer)
  })
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, shown: shown.replaceAll('\r', '') }))
  })
}
