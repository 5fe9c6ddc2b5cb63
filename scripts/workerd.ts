import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages } from './nodes.ts'

const CACHE = fileURLToPath(new URL('../node_modules/.cache/workerd', import.meta.url))

/** The package with the program for this platform. The package `workerd` would download it with a script. */
const PACKAGE = `@cloudflare/workerd-${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch === 'x64' ? '64' : 'arm64'}`

/** Returns the path of workerd, the runtime of Cloudflare Workers. npm installs it on first use. */
export async function installWorkerd(): Promise<string> {
  await installPackages(CACHE, [{ name: PACKAGE, version: '1.20261110.1' }])
  return join(CACHE, 'node_modules', PACKAGE, 'bin', process.platform === 'win32' ? 'workerd.exe' : 'workerd')
}
