/** `npm start`: builds the packages and runs the showcase, which prints its URL. */
import { attach, build } from './run.ts'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node 20.19 or newer is required, got ${process.versions.node}.`)
  process.exitCode = 1
} else if (await build()) {
  process.exitCode = await attach('npm', ['run', 'dev', '--silent', '--workspace', '@sdk/example-tasks'])
} else {
  process.exitCode = 1
}
