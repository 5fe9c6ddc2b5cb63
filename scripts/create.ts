/**
 * `npm run create -- ../my-app [options]`: creates an app with the packages of this clone, before they are published.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packAll } from './publishable.ts'
import { build } from './run.ts'

process.exitCode = (await build()) ? await create() : 1

async function create(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'sdk-create-'))
  try {
    await packAll(folder)
    // Imported after the build, since it does not exist in a new clone.
    const { main } = await import('@sdk/create')
    // npm runs this script in the root of the clone; `INIT_CWD` is the directory from which it was called.
    return await main([...process.argv.slice(2), '--packages', folder], process.env['INIT_CWD'])
  } finally {
    rmSync(folder, { recursive: true })
  }
}
