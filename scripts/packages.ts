/** `npm run packages`: checks the tarballs for every resolver with publint and "are the types wrong". */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkTarball } from './check-tarball.ts'
import { packAll } from './publishable.ts'

const folder = mkdtempSync(join(tmpdir(), 'sdk-packages-'))
const complaints = (await Promise.all((await packAll(folder)).map(checkTarball))).flat()
rmSync(folder, { recursive: true })
for (const complaint of complaints) console.error(complaint)
process.exitCode = complaints.length > 0 ? 1 : 0
