import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from './run-program.ts'

/** Creates a git repository for a project, unless the project is already inside one or git is not installed. */
export async function initRepository(directory: string, env: NodeJS.ProcessEnv): Promise<void> {
  if (existsSync(join(directory, '.git'))) return
  const inside = await runProgram('git', ['rev-parse', '--is-inside-work-tree'], { cwd: directory, env })
  if (inside.code !== 0) await runProgram('git', ['init', '--quiet'], { cwd: directory, env })
}
