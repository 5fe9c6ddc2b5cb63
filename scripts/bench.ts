/** `npm run bench -- stream [arguments]`: runs `benchmarks/stream*.ts`. Without a name, it lists the benchmarks. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { attach, build } from './run.ts'

const folder = join(import.meta.dirname, '../benchmarks')
const all = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.ts')) : []
const [name, ...args] = process.argv.slice(2)
const chosen = all.filter((file) => name !== undefined && file.startsWith(name))

if (chosen.length === 0) {
  console.log('npm run bench -- NAME, where NAME is a prefix of:')
  for (const file of all) console.log(`  ${file.slice(0, -'.ts'.length)}`)
  process.exitCode = name === undefined ? 0 : 1
} else {
  process.exitCode = (await prepare()) ? await runAll() : 1
}

/** Installs the libraries that we compare with on first use. The workspace does not depend on them. */
async function prepare(): Promise<boolean> {
  const needsInstall = existsSync(join(folder, 'package.json')) && !existsSync(join(folder, 'node_modules'))
  // One of them requires a newer Node, but it is only used in browsers here.
  const install = ['install', '--no-engine-strict', '--prefix', folder]
  if (needsInstall && (await attach('npm', install)) !== 0) return false
  return build()
}

async function runAll(): Promise<number> {
  for (const file of chosen) {
    const code = await attach(process.execPath, ['--expose-gc', '--import', 'tsx', join(folder, file), ...args])
    if (code !== 0) return code
  }
  return 0
}
