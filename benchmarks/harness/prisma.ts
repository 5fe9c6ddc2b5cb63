import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const modules = join(import.meta.dirname, '../node_modules')

/** The flags of Node for a server that imports a generated client, which is TypeScript. */
export const PRISMA_FLAGS: readonly string[] = ['--import', 'tsx']

/** Generates the Prisma client of a schema into `node_modules/.cache`. */
export function generatePrisma(schema: string): void {
  // Only migrations need the schema engine. Any existing path prevents its download, which fails without internet.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' }
  execFileSync(
    process.execPath,
    [join(modules, 'prisma/build/index.js'), 'generate', '--schema', schema, '--no-hints'],
    {
      cwd: join(modules, '..'),
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
}
