/**
 * Compiles a chat agent with five tools, written with our package, with the AI SDK alone and with Mastra, and counts the
 * lines of each. All of them use the functions of the same app.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { countLines } from './blog/count-lines.ts'

const FOLDER = import.meta.dirname
const TSC = join(FOLDER, '../node_modules/typescript/bin/tsc')

execFileSync(process.execPath, [TSC, '-p', FOLDER, '--noEmit'], { stdio: 'inherit' })
for (const name of ['sdk', 'ai-sdk', 'mastra'])
  console.log(`${name.padEnd(8)} ${countLines(join(FOLDER, 'chat', name))} lines`)
