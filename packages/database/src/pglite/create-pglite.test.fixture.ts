import { PGlite } from '@electric-sql/pglite'
import { readTemplate } from './template.ts'

/** Creates a PGlite in memory, for its own driver. The template saves `initdb`, which takes seconds. */
export async function createPglite(): Promise<PGlite> {
  const template = await readTemplate()
  return PGlite.create(template === null ? {} : { loadDataDir: new Blob([template]) })
}
