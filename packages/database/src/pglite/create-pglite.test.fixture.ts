import { PGlite } from '@electric-sql/pglite'
import { readTemplate } from './template.ts'

/** Creates an in-memory PGlite to use with its own driver. The template replaces `initdb`, which takes seconds. */
export async function createPglite(): Promise<PGlite> {
  const template = await readTemplate()
  return PGlite.create(template === null ? {} : { loadDataDir: new Blob([template]) })
}
