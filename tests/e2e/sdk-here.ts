import { stripVTControlCharacters } from 'node:util'
import { createTerminal, runCommandLine } from '@sdk/cli'
import { toNeutral } from './mistakes/terminal.ts'

/** Added to the environment for one command; `undefined` removes a variable. */
type Env = Readonly<Record<string, string | undefined>>

/**
 * Runs an `sdk` command in this process and returns its exit code and output. A separate process would load the bundler
 * again. Not for commands that run until a signal.
 */
export async function sdkHere(cwd: string, args: readonly string[], env: Env = {}): Promise<[number, string]> {
  const [variables, folder] = [{ ...process.env }, process.cwd()]
  let output = ''
  const write = (text: string): void => void (output += stripVTControlCharacters(text))
  const line = (text = ''): void => write(`${text}\n`)
  // `@sdk/server/testing` sets this database for the tests of this process.
  const { DATABASE_URL: database } = process.env
  setVariables({ ...(database === 'pglite://memory' && { DATABASE_URL: undefined }), ...env })
  try {
    const code = await runCommandLine(args, { cwd, terminal: { ...createTerminal(), write, out: line, err: line } })
    return [code, output]
  } finally {
    const added = Object.keys(process.env).filter((name) => !(name in variables))
    setVariables({ ...variables, ...Object.fromEntries(added.map((name) => [name, undefined])) })
    process.chdir(folder)
  }
}

/** Like `runSdk`, in this process. */
export async function runSdkHere(cwd: string, args: readonly string[], env: Env = {}): Promise<string> {
  const [code, output] = await sdkHere(cwd, args, env)
  return `${toNeutral(output, cwd)}\n(${code})`
}

function setVariables(env: Env): void {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}
